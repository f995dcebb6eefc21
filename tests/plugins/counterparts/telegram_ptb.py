"""A bot written with python-telegram-bot: `python telegram_ptb.py BASE_URL|unmodified [WEBHOOK_PORT]`.

Knows nothing of ours. It remembers the first thing said in each chat, so that mixed chats show.
"""

import asyncio
import base64
import sys

from telegram import InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.constants import ChatAction
from telegram.ext import (
    ApplicationBuilder,
    CallbackQueryHandler,
    CommandHandler,
    ContextTypes,
    MessageHandler,
    filters,
)

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
Context = ContextTypes.DEFAULT_TYPE


async def start(update: Update, context: Context) -> None:
    buttons = [
        [InlineKeyboardButton("North", callback_data="n"), InlineKeyboardButton("South", callback_data="s")]
    ]
    await update.message.reply_text("Where to?", reply_markup=InlineKeyboardMarkup(buttons))


async def pressed(update: Update, context: Context) -> None:
    await update.callback_query.answer()
    await update.callback_query.edit_message_text(f"picked {update.callback_query.data}")


async def answer(update: Update, context: Context) -> None:
    text = update.message.text
    if text == "photo":
        await update.message.reply_photo(PIXEL, caption="a pixel")
        return
    if text == "edit":
        draft = await update.message.reply_text("thinking...")
        await asyncio.sleep(0.1)
        await draft.edit_text("<b>thought</b> &amp; done", parse_mode="HTML")
        return
    if text == "slow":
        await context.bot.send_chat_action(update.effective_chat.id, ChatAction.TYPING)
        await asyncio.sleep(1.0)
    if text == "mute":
        return
    context.chat_data.setdefault("first", text)
    await update.message.reply_text(f"first was {context.chat_data['first']}")


builder = ApplicationBuilder().token("4242:TEST").concurrent_updates(True)
if sys.argv[1] != "unmodified":
    builder = builder.base_url(f"{sys.argv[1]}/bot").base_file_url(f"{sys.argv[1]}/file/bot")
application = builder.build()
application.add_handler(CommandHandler("start", start))
application.add_handler(CallbackQueryHandler(pressed))
application.add_handler(MessageHandler(filters.TEXT & ~filters.COMMAND, answer))
if len(sys.argv) > 2:
    port = int(sys.argv[2])
    application.run_webhook(
        "127.0.0.1", port, "hook", secret_token="s3cret", webhook_url=f"http://127.0.0.1:{port}/hook"
    )
else:
    application.run_polling(bootstrap_retries=-1, poll_interval=0.0)
