"""A bot written with pywa: `python whatsapp_pywa_bot.py PORT`. It calls graph.facebook.com."""

import sys
import time

import uvicorn
from fastapi import FastAPI
from pywa import WhatsApp, filters, types

server = FastAPI()
wa = WhatsApp(
    phone_id="100000000000001",
    token="TEST",
    server=server,
    verify_token="verifies",
    app_secret="hunter2secret",
)
first: dict[str, str] = {}


@wa.on_message(filters.matches("where"))
def where(_: WhatsApp, message: types.Message) -> None:
    message.reply_text("Where to?", buttons=[types.Button("North", "n"), types.Button("South", "s")])


@wa.on_message(filters.matches("list"))
def rows(_: WhatsApp, message: types.Message) -> None:
    section = types.Section("Food", [types.SectionRow("Soup", "soup"), types.SectionRow("Bread", "bread")])
    message.reply_text("What to eat?", buttons=types.SectionList("Menu", [section]))


@wa.on_callback_button
def pressed(_: WhatsApp, press: types.CallbackButton) -> None:
    press.reply_text(f"picked {press.data} ({press.title})")


@wa.on_callback_selection
def chosen(_: WhatsApp, press: types.CallbackSelection) -> None:
    press.reply_text(f"chosen {press.data}")


@wa.on_message(filters.matches("late"))
def late(_: WhatsApp, message: types.Message) -> None:
    message.indicate_typing()
    time.sleep(1.2)
    message.reply_text("here at last")
    message.react("\U0001f600")


@wa.on_message(filters.matches("silent"))
def silent(_: WhatsApp, message: types.Message) -> None:
    message.mark_as_read()


@wa.on_message(filters.text & ~filters.matches("where", "list", "late", "silent"))
def answer(_: WhatsApp, message: types.Message) -> None:
    message.reply_text(f"first was {first.setdefault(message.from_user.wa_id, message.text)}")


uvicorn.run(server, port=int(sys.argv[1]), log_level="error")
