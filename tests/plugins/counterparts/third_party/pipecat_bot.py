"""A bot of Pipecat behind its runner's WebRTC: `python pipecat_bot.py -t webrtc --host HOST --port PORT`.

It listens (Silero finds speech, pocketsphinx its words, those of `pipecat_words.gram`), remembers, and speaks
by espeak-ng; words go over the data channel, as RTVI, both ways. Services on this machine, and a processor in
the place of a model, stand where others would cost money.
"""

import asyncio
import io
import wave
from pathlib import Path

from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import (
    LLMFullResponseEndFrame,
    LLMFullResponseStartFrame,
    LLMMessagesAppendFrame,
    LLMTextFrame,
    TranscriptionFrame,
    TTSAudioRawFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.runner import PipelineRunner
from pipecat.pipeline.task import PipelineTask
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.runner.utils import create_transport
from pipecat.services.settings import STTSettings, TTSSettings
from pipecat.services.stt_service import SegmentedSTTService
from pipecat.services.tts_service import TTSService
from pipecat.transports.base_transport import TransportParams
from pipecat.utils.time import time_now_iso8601
from pocketsphinx import Decoder

HEARD_HZ = 16_000
SPOKEN_HZ = 22_050  # of espeak-ng


class Listens(SegmentedSTTService):
    def __init__(self):
        super().__init__(sample_rate=HEARD_HZ, settings=STTSettings(model=None, language=None))
        words = str(Path(__file__).parent / "pipecat_words.gram")
        self.decoder = Decoder(samprate=HEARD_HZ, jsgf=words, loglevel="FATAL")

    @property
    def wants_wav_segments(self):
        return False

    async def run_stt(self, audio):
        text = await asyncio.to_thread(self.words_in, audio)
        if text:
            yield TranscriptionFrame(text, "", time_now_iso8601())

    def words_in(self, audio):
        self.decoder.start_utt()
        self.decoder.process_raw(audio, full_utt=True)
        self.decoder.end_utt()
        return found.hypstr if (found := self.decoder.hyp()) else ""


class Remembers(FrameProcessor):
    def __init__(self):
        super().__init__()
        self.first = None

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        await self.push_frame(frame, direction)
        if isinstance(frame, LLMMessagesAppendFrame):
            await self.answer(frame.messages[-1]["content"])
        elif isinstance(frame, TranscriptionFrame):
            await self.answer(frame.text)

    async def answer(self, text):
        self.first = self.first or text
        for one in (
            LLMFullResponseStartFrame(),
            LLMTextFrame(f"first was {self.first}"),
            LLMFullResponseEndFrame(),
        ):
            await self.push_frame(one)


class Speaks(TTSService):
    def __init__(self):
        nothing = TTSSettings(model=None, voice=None, language=None)
        super().__init__(push_start_frame=True, push_stop_frames=True, settings=nothing)

    async def run_tts(self, text, context_id):
        pipe = asyncio.subprocess.PIPE
        command = ("espeak-ng", "-v", "en", "--stdout")
        program = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        spoken, _ = await program.communicate(text.encode())
        with wave.open(io.BytesIO(spoken)) as sound:
            samples = sound.readframes(len(spoken))
        yield TTSAudioRawFrame(samples, SPOKEN_HZ, 1, context_id=context_id)


async def bot(arguments):
    sound = TransportParams(
        audio_in_enabled=True,
        audio_in_sample_rate=HEARD_HZ,
        audio_out_enabled=True,
        audio_out_sample_rate=SPOKEN_HZ,
    )
    transport = await create_transport(arguments, {"webrtc": lambda: sound})
    speech = VADProcessor(vad_analyzer=SileroVADAnalyzer(sample_rate=HEARD_HZ))
    task = PipelineTask(
        Pipeline([transport.input(), speech, Listens(), Remembers(), Speaks(), transport.output()])
    )

    @transport.event_handler("on_client_disconnected")
    async def gone(transport, client):
        await task.cancel()

    await PipelineRunner(handle_sigint=False).run(task)


if __name__ == "__main__":
    from pipecat.runner.run import main

    main()
