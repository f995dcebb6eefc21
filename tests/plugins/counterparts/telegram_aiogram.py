"""A bot written with aiogram: `python telegram_aiogram.py BASE_URL`. Knows nothing of ours."""

import asyncio
import base64
import sys

from aiogram import Bot, Dispatcher, F
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiogram.enums import ChatAction
from aiogram.filters import CommandStart
from aiogram.types import (
    BufferedInputFile,
    CallbackQuery,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    Message,
)

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
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


@dispatcher.message(F.text == "photo")
async def photo(message: Message) -> None:
    await message.answer_photo(BufferedInputFile(PIXEL, "pixel.png"), caption="a pixel")


@dispatcher.message(F.text == "edit")
async def edit(message: Message) -> None:
    draft = await message.answer("thinking...")
    await draft.edit_text("<b>thought</b> &amp; done", parse_mode="HTML")


@dispatcher.message(F.text == "slow")
async def slow(message: Message) -> None:
    await message.bot.send_chat_action(message.chat.id, ChatAction.TYPING)
    await asyncio.sleep(2.0)
    await message.answer("here at last")


@dispatcher.message()
async def answer(message: Message) -> None:
    await message.answer(f"first was {first.setdefault(message.chat.id, message.text)}")


async def main() -> None:
    session = AiohttpSession(api=TelegramAPIServer.from_base(sys.argv[1]))
    await dispatcher.start_polling(Bot("4242:TEST", session=session))


asyncio.run(main())
