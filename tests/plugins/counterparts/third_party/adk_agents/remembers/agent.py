"""An agent of Google's Agent Development Kit with a tool; its model is a function."""

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.genai import types


class Scripted(BaseLlm):
    """Looks up what is said last, then says what was said first."""

    async def generate_content_async(self, llm_request, stream=False):
        parts = [(one.role, part) for one in llm_request.contents for part in one.parts]
        said = [part.text for role, part in parts if role == "user" and part.text]
        if parts[-1][1].function_response:
            part, used = types.Part(text=f"first was {said[0]}"), (30, 6)
        else:
            part, used = types.Part.from_function_call(name="look_up", args={"words": said[-1]}), (20, 9)
        tokens = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=used[0],
            candidates_token_count=used[1],
            thoughts_token_count=2,
            cached_content_token_count=5,
        )
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=tokens,
            model_version="scripted-1",
        )


def look_up(words: str) -> dict:
    """Look something up."""
    if words == "broken":
        return {"error": "the archive is closed"}
    return {"documents": ["Doors open at 9."]}


root_agent = LlmAgent(name="remembers", model=Scripted(model="scripted-1"), tools=[look_up])
