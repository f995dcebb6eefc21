// A Telegram bot written with node-telegram-bot-api: node node_telegram_bot_api.mjs OURS
import { Bot } from "node-telegram-bot-api";

const first = new Map();
const bot = new Bot("1:TEST", { apiRoot: process.argv[2] });
bot.command("start", (ctx) => ctx.reply("hello"));
bot.on("message", (ctx) => {
  const { chat, text } = ctx.message;
  if (!first.has(chat.id)) first.set(chat.id, text);
  return ctx.reply(`first was ${first.get(chat.id)}`);
});
await bot.startPolling();
