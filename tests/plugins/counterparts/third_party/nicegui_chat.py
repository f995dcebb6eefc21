"""A chat written with NiceGUI: `python nicegui_chat.py PORT`."""

import sys

from nicegui import ui


@ui.page("/")
def chat():
    first = []
    container = ui.column()
    field = ui.input(placeholder="Say something")

    def say():
        first.append(field.value)
        with container:
            ui.chat_message(text=field.value, sent=True)
            ui.chat_message(text=f"first was {first[0]}", name="Bot")
        field.value = ""

    field.on("keydown.enter", say)


ui.run(host="127.0.0.1", port=int(sys.argv[1]), show=False, reload=False)
