"""An agent written with Google's Agent Development Kit: `adk api_server adk_agents`."""

from google.adk.agents import BaseAgent
from google.adk.events import Event
from google.genai import types


class Remembers(BaseAgent):
    async def _run_async_impl(self, ctx):
        said = [one.content.parts[0].text for one in ctx.session.events if one.author == "user"]
        words = types.Content(role="model", parts=[types.Part(text=f"first was {said[0]}")])
        yield Event(author=self.name, invocation_id=ctx.invocation_id, content=words)


root_agent = Remembers(name="remembers")
