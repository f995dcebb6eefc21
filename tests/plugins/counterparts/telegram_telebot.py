"""A bot written with pyTelegramBotAPI: `python telegram_telebot.py BASE_URL`. Knows nothing of ours."""

import base64
import sys
import time

import telebot
from telebot import apihelper
from telebot.types import InlineKeyboardButton, InlineKeyboardMarkup

apihelper.API_URL = sys.argv[1] + "/bot{0}/{1}"
bot = telebot.TeleBot("4242:TEST")
first: dict[int, str] = {}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


@bot.message_handler(commands=["start"])
def start(message) -> None:
    markup = InlineKeyboardMarkup()
    markup.row(
        InlineKeyboardButton("North", callback_data="n"), InlineKeyboardButton("South", callback_data="s")
    )
    bot.reply_to(message, "Where to?", reply_markup=markup)


@bot.callback_query_handler(func=lambda query: True)
def pressed(query) -> None:
    bot.answer_callback_query(query.id)
    bot.edit_message_text(f"picked {query.data}", query.message.chat.id, query.message.message_id)


@bot.message_handler(func=lambda message: message.text == "photo")
def photo(message) -> None:
    bot.send_photo(message.chat.id, PIXEL, caption="a pixel")


@bot.message_handler(func=lambda message: message.text == "edit")
def edit(message) -> None:
    draft = bot.send_message(message.chat.id, "thinking...")
    edited = "<b>thought</b> &amp; done"
    bot.edit_message_text(edited, message.chat.id, draft.message_id, parse_mode="HTML")


@bot.message_handler(func=lambda message: message.text == "slow")
def slow(message) -> None:
    bot.send_chat_action(message.chat.id, "typing")
    time.sleep(2.0)
    bot.send_message(message.chat.id, "here at last")


@bot.message_handler(func=lambda message: True)
def answer(message) -> None:
    bot.reply_to(message, f"first was {first.setdefault(message.chat.id, message.text)}")


bot.infinity_polling(timeout=5, long_polling_timeout=5)
