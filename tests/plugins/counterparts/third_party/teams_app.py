"""A Teams bot on the Teams SDK, after its documentation: python teams_app.py PORT"""

import asyncio
import sys

from microsoft_teams.api import MessageActivity
from microsoft_teams.apps import ActivityContext, App

app = App(dangerously_allow_unauthenticated_requests=True)
first: dict[str, str] = {}


@app.on_message
async def handle_message(ctx: ActivityContext[MessageActivity]) -> None:
    key = ctx.activity.conversation.id
    await ctx.send(f"first was {first.setdefault(key, ctx.activity.text)}")


asyncio.run(app.start(int(sys.argv[1])))
