"""A provider of LiteLLM's proxy, as its documentation shows one: CustomLLM."""

from litellm import CustomLLM, ModelResponse
from litellm.types.utils import GenericStreamingChunk


def _answer(messages):
    return f"first was {next(one['content'] for one in messages if one['role'] == 'user')}"


class Remembers(CustomLLM):
    async def acompletion(self, *args, messages, **kwargs) -> ModelResponse:
        return ModelResponse(choices=[{"message": {"role": "assistant", "content": _answer(messages)}}])

    async def astreaming(self, *args, messages, **kwargs):
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        said = {"finish_reason": "stop", "index": 0, "is_finished": True, "tool_use": None, "usage": usage}
        chunk: GenericStreamingChunk = {**said, "text": _answer(messages)}
        yield chunk


remembers = Remembers()
