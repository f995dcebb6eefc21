// A Slack bot written with Bolt for JavaScript: node bolt.mjs PORT OURS
import bolt from "@slack/bolt";

const [port, ours] = process.argv.slice(2);
const first = new Map();
const app = new bolt.App({
  token: "xoxb-TEST",
  signingSecret: "hunter2secret",
  clientOptions: { slackApiUrl: `${ours}/api/` },
});
app.message(async ({ message, say }) => {
  if (!first.has(message.channel)) first.set(message.channel, message.text);
  await say(`first was ${first.get(message.channel)}`);
});
await app.start(Number(port));
