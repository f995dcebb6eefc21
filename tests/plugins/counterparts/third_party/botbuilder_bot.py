"""A Teams bot on the Bot Framework SDK, after its echo sample: python botbuilder_bot.py PORT"""

import sys

from aiohttp import web
from botbuilder.core import ActivityHandler, ConversationState, MemoryStorage, TurnContext
from botbuilder.integration.aiohttp import CloudAdapter, ConfigurationBotFrameworkAuthentication


class Config:
    """No app id: nobody signs, as for the Bot Framework Emulator."""

    PORT = int(sys.argv[1])
    APP_ID = APP_PASSWORD = APP_TENANTID = ""
    APP_TYPE = "MultiTenant"


ADAPTER = CloudAdapter(ConfigurationBotFrameworkAuthentication(Config()))
STATE = ConversationState(MemoryStorage())
FIRST = STATE.create_property("first")


class Bot(ActivityHandler):
    async def on_turn(self, turn_context: TurnContext) -> None:
        await super().on_turn(turn_context)
        await STATE.save_changes(turn_context)

    async def on_message_activity(self, turn_context: TurnContext) -> None:
        text = turn_context.activity.text
        await turn_context.send_activity(f"first was {await FIRST.get(turn_context, lambda: text)}")


BOT = Bot()


async def messages(request: web.Request) -> web.Response:
    return await ADAPTER.process(request, BOT)


app = web.Application()
app.router.add_post("/api/messages", messages)
web.run_app(app, host="127.0.0.1", port=Config.PORT, print=None)
