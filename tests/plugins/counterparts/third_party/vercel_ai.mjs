// A chat route of the Vercel AI SDK, a function in the place of its model: node vercel_ai.mjs PORT
import { createServer } from "node:http";
import { text as read } from "node:stream/consumers";
import { convertToModelMessages, simulateReadableStream, streamText } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const first = prompt.find(({ role }) => role === "user").content[0].text;
    const usage = { inputTokens: { total: 3, noCache: 3 }, outputTokens: { total: 4, text: 4 } };
    const chunks = [
      { type: "text-start", id: "1" },
      { type: "text-delta", id: "1", delta: "first was " },
      { type: "text-delta", id: "1", delta: first },
      { type: "text-end", id: "1" },
      { type: "finish", finishReason: { unified: "stop" }, usage },
    ];
    return { stream: simulateReadableStream({ chunks }) };
  },
});

createServer(async (request, response) => {
  const { messages } = JSON.parse(await read(request));
  const result = streamText({ model, messages: await convertToModelMessages(messages) });
  result.pipeUIMessageStreamToResponse(response);
}).listen(Number(process.argv[2]), "127.0.0.1");
