"""A chat written with Gradio: `python gradio_chat.py PORT`."""

import sys

import gradio as gr


def remember(message, history):
    said = [one["content"] for one in history if one["role"] == "user"]
    first = said[0] if said else message
    return f"first was {first if isinstance(first, str) else first[0]['text']}"


gr.ChatInterface(remember).launch(server_name="127.0.0.1", server_port=int(sys.argv[1]))
