// A bot written with discord.js: node discord_js_bot.mjs OURS
import { Client, GatewayIntentBits, Partials } from "discord.js";

const first = new Map();
const client = new Client({
  intents: [GatewayIntentBits.DirectMessages, GatewayIntentBits.MessageContent],
  partials: [Partials.Channel],
  rest: { api: `${process.argv[2]}/api` },
});
client.on("messageCreate", async (message) => {
  if (message.author.bot) return;
  if (!first.has(message.channelId)) first.set(message.channelId, message.content);
  await message.channel.send(`first was ${first.get(message.channelId)}`);
});
client.login("TEST");
