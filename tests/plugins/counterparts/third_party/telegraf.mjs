// A Telegram bot written with telegraf: node telegraf.mjs OURS
import { Telegraf } from "telegraf";

const first = new Map();
const bot = new Telegraf("1:TEST", { telegram: { apiRoot: process.argv[2] } });
bot.start((ctx) => ctx.reply("hello"));
bot.on("text", (ctx) => {
  if (!first.has(ctx.chat.id)) first.set(ctx.chat.id, ctx.message.text);
  return ctx.reply(`first was ${first.get(ctx.chat.id)}`);
});
bot.launch();
