"""An agent written with Pydantic AI over AG-UI: `python ag_ui_agent.py PORT`. Its model is a function."""

import sys
from collections.abc import AsyncIterator

import uvicorn
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.routing import Route


async def remember(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
    said = [
        part.content for message in messages for part in message.parts if isinstance(part, UserPromptPart)
    ]
    yield "first was "
    yield str(said[0])


agent = Agent(FunctionModel(stream_function=remember))


async def run(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)


uvicorn.run(Starlette(routes=[Route("/", run, methods=["POST"])]), port=int(sys.argv[1]), log_level="warning")
