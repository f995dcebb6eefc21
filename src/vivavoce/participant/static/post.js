// The one way from a page to its service: post, and again where no answer came or the service asks for patience.
// What may be sent again carries a key, which the service takes only once: nothing is doubled.

const LONGEST_WAIT_S = 30;
const ANSWER_WITHIN_S = 20;
const PATIENCE = ["busy", "paused", "stale", "unsent_turns"]; // words that stand against it only now

/**
 * @typedef {object} Answer
 * @property {boolean} ok
 * @property {number} status 0 where none came
 * @property {any} body
 * @property {string | null} error the service's word for what is wrong; "offline" where it was not the service's
 */

/**
 * Ends earlier when the network comes back.
 * @param {number} seconds
 * @returns {Promise<void>}
 */
export function wait(seconds) {
  return new Promise((done) => {
    const finish = () => {
      clearTimeout(timer);
      window.removeEventListener("online", finish);
      done();
    };
    const timer = setTimeout(finish, seconds * 1000);
    window.addEventListener("online", finish);
  });
}

/**
 * Posts once: a Blob as it is, anything else as JSON.
 * @param {string} url
 * @param {any} content
 * @param {{within?: number, keepalive?: boolean}} [how] within: seconds; keepalive: also while the page goes away
 * @returns {Promise<Answer>}
 */
export async function post(url, content, { within = ANSWER_WITHIN_S, keepalive = false } = {}) {
  const sound = content instanceof Blob;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": sound ? content.type : "application/json", Accept: "application/json" },
      body: sound ? content : JSON.stringify(content),
      signal: AbortSignal.timeout(within * 1000),
      keepalive,
    });
    const { ok, status } = response;
    const body = status === 204 ? {} : await response.json().catch(() => null);
    if (ok && body !== null) return { ok, status, body, error: null };
    // a proxy, or a network that wants a password first, answers in words of its own, also with 200
    return { ok: false, status, body: body ?? {}, error: body?.error ?? (status === 413 ? "too_long" : "offline") };
  } catch {
    return { ok: false, status: 0, body: {}, error: "offline" };
  }
}

/**
 * @param {Answer} answer
 * @returns {boolean} whether the same may be taken later
 */
function later({ ok, status, error }) {
  return !ok && (error === "offline" || status >= 500 || status === 429 || PATIENCE.includes(error));
}

/**
 * Posts until the service has it or will never take it, for ever if need be.
 * @param {string} url
 * @param {any} content
 * @param {object} [how] as for `post`, and
 * @param {string[]} [how.final] words that are the last here, though elsewhere they ask for patience
 * @param {(error: string) => void} [how.tell] is told before each wait why it is not there yet
 * @param {() => boolean} [how.going] whether it is still wanted
 * @param {number} [how.tries]
 * @param {number} [how.within]
 * @param {boolean} [how.keepalive]
 * @returns {Promise<Answer>} the last answer
 */
export async function postUntilTaken(url, content, how = {}) {
  const { final = [], tell = () => {}, going = () => true, tries = Infinity, ...each } = how;
  for (let delay = 1, tried = 1; ; delay = Math.min(2 * delay, LONGEST_WAIT_S), tried++) {
    const answer = await post(url, content, each);
    if (!later(answer) || final.includes(answer.error) || tried >= tries || !going()) return answer;
    tell(answer.error);
    await wait(delay);
    if (!going()) return answer;
  }
}

/**
 * Posts a form as the browser would, and gives the page that came back.
 * @param {HTMLElement} form
 * @param {{submitter?: HTMLElement | null, press?: string}} [how]
 * @returns {Promise<Response>}
 */
export function postForm(form, { submitter = null, press } = {}) {
  const body = new URLSearchParams(/** @type {any} */ (new FormData(/** @type {HTMLFormElement} */ (form), submitter)));
  if (press !== undefined) body.set("press", press);
  // not form.action: a field may have that name
  return fetch(form.getAttribute("action") ?? "", { method: "POST", body, headers: { Accept: "text/html" } });
}
