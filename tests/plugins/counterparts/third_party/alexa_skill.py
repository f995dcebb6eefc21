"""A skill written with Alexa's ask-sdk, its handler behind Flask: `python alexa_skill.py PORT`."""

import sys

from ask_sdk_core.dispatch_components import AbstractRequestHandler
from ask_sdk_core.skill_builder import SkillBuilder
from ask_sdk_core.utils import get_slot_value, is_intent_name, is_request_type
from flask import Flask, jsonify, request


class Launch(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_request_type("LaunchRequest")(handler_input)

    def handle(self, handler_input):
        return handler_input.response_builder.speak("Welcome.").ask("Say something.").response


class Say(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("SayIntent")(handler_input)

    def handle(self, handler_input):
        held = handler_input.attributes_manager.session_attributes
        held.setdefault("first", get_slot_value(handler_input, "words"))
        return handler_input.response_builder.speak(f"first was {held['first']}").ask("And?").response


builder = SkillBuilder()
builder.add_request_handler(Launch())
builder.add_request_handler(Say())
handle = builder.lambda_handler()
app = Flask(__name__)


@app.post("/")
def dispatch():
    return jsonify(handle(request.get_json(), None))


app.run(port=int(sys.argv[1]))
