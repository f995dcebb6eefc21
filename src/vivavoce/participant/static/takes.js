// A recording under way, kept in the browser piece by piece, so that a reload or a lost connection costs nothing.

export function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/**
 * @param {IDBTransactionMode} mode
 * @param {string} [name]
 * @param {string} [things]
 * @param {IDBObjectStoreParameters} [options]
 */
export async function store(mode, name = "vivavoce-takes", things = "pieces", options = { autoIncrement: true }) {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(things, options);
  const base = await done(opening);
  return base.transaction(things, mode).objectStore(things);
}

// A piece is {take, key, takes, rate, samples}; take names the stimulus of the visit, key this very recording.
export async function keep(piece) {
  return done((await store("readwrite")).add(piece));
}

export async function forget() {
  return done((await store("readwrite")).clear());
}

// The pieces of this stimulus's last recording, in order; whatever belongs to another stimulus is dropped.
export async function kept(take) {
  const pieces = await done((await store("readonly")).getAll());
  const own = pieces.filter((piece) => piece.take === take);
  if (own.length < pieces.length && own.length === 0) await forget();
  return own.filter((piece) => piece.key === own[own.length - 1].key);
}

// A button may be pressed again; whoever pressed it by keyboard still stands there, though browsers take focus away.
export function enable(button) {
  button.disabled = false;
  if (document.activeElement === document.body) button.focus();
}

const FAINTEST = 33; // of 32767: -60 dB; a microphone that is on, with somebody before it, is louder

// Whether nobody can have been heard in these 16-bit samples: the microphone is switched off, or it is another one.
export function silent(pieces) {
  return pieces.every((piece) => piece.every((sample) => Math.abs(sample) < FAINTEST));
}

// 16 bits, one channel.
export function wav(pieces, rate) {
  const frames = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const view = new DataView(new ArrayBuffer(44 + 2 * frames));
  const text = (at, letters) => [...letters].forEach((one, i) => view.setUint8(at + i, one.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * frames, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, 2 * rate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * frames, true);
  let at = 44;
  for (const piece of pieces) for (const sample of piece) view.setInt16((at += 2) - 2, sample, true);
  return new Blob([view], { type: "audio/wav" });
}
