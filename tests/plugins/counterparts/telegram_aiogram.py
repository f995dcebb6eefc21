"""A bot written with aiogram: `python telegram_aiogram.py BASE_URL`. Knows nothing of ours."""

import asyncio
import sys

from aiogram import Bot, Dispatcher
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.filters import CommandStart
from aiogram.types import CallbackQuery, InlineKeyboardButton, InlineKeyboardMarkup, Message

dispatcher = Dispatcher()
first: dict[int, str] = {}


@dispatcher.message(CommandStart())
async def start(message: Message) -> None:
    row = [
        InlineKeyboardButton(text="North", callback_data="n"),
        InlineKeyboardButton(text="South", callback_data="s"),
    ]
    await message.answer("Where to?", reply_markup=InlineKeyboardMarkup(inline_keyboard=[row]))


@dispatcher.callback_query()
async def pressed(query: CallbackQuery) -> None:
    await query.answer()
    await query.message.edit_text(f"picked {query.data}")


@dispatcher.message()
async def answer(message: Message) -> None:
    await message.answer(f"first was {first.setdefault(message.chat.id, message.text)}")


async def main() -> None:
    session = AiohttpSession(api=TelegramAPIServer.from_base(sys.argv[1]))
    await dispatcher.start_polling(Bot("4242:TEST", session=session))


asyncio.run(main())
