"""A bot of Pipecat behind its runner's WebRTC: `python pipecat_bot.py -t webrtc --host HOST --port PORT`.

A processor stands in the place of a model that costs money; words go over the data channel, as RTVI.
"""

from pipecat.frames.frames import (
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMTextFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.runner import PipelineRunner
from pipecat.pipeline.task import PipelineTask
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.runner.utils import create_transport
from pipecat.transports.base_transport import TransportParams


class Remembers(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.first = None

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if not isinstance(frame, LLMMessagesAppendFrame):
            await self.push_frame(frame, direction)
            return
        self.first = self.first or frame.messages[-1]["content"]
        for one in (
            LLMFullResponseStartFrame(),
            LLMTextFrame(f"first was {self.first}"),
            LLMFullResponseEndFrame(),
        ):
            await self.push_frame(one)


async def bot(arguments):
    transport = await create_transport(arguments, {"webrtc": lambda: TransportParams()})
    task = PipelineTask(Pipeline([transport.input(), Remembers(), transport.output()]))

    @transport.event_handler("on_client_disconnected")
    async def gone(transport, client):
        await task.cancel()

    await PipelineRunner(handle_sigint=False).run(task)


if __name__ == "__main__":
    from pipecat.runner.run import main

    main()
