// A Telegram bot written with grammY: node grammy.mjs OURS
import { Bot } from "grammy";

const first = new Map();
const bot = new Bot("1:TEST", { client: { apiRoot: process.argv[2] } });
bot.command("start", (ctx) => ctx.reply("hello"));
bot.on("message:text", (ctx) => {
  if (!first.has(ctx.chat.id)) first.set(ctx.chat.id, ctx.message.text);
  return ctx.reply(`first was ${first.get(ctx.chat.id)}`);
});
bot.start();
