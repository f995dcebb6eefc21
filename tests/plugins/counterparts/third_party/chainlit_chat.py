"""A chat written with Chainlit: `chainlit run chainlit_chat.py`."""

import chainlit as cl


@cl.on_message
async def answer(message: cl.Message):
    first = cl.user_session.get("first") or message.content
    cl.user_session.set("first", first)
    await cl.Message(content=f"first was {first}").send()
