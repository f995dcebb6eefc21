// An agent on the A2A SDK for JavaScript: node a2a_agent.mjs PORT
import { randomUUID } from "node:crypto";
import express from "express";
import { Role } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { UserBuilder, agentCardHandler, jsonRpcHandler } from "@a2a-js/sdk/server/express";

const port = Number(process.argv[2]);
const first = new Map();
const executor = {
  async execute({ contextId, userMessage }, eventBus) {
    const text = userMessage.parts.map(({ content }) => content.value).join("");
    if (!first.has(contextId)) first.set(contextId, text);
    const parts = [{ content: { $case: "text", value: `first was ${first.get(contextId)}` } }];
    const data = { messageId: randomUUID(), contextId, role: Role.ROLE_AGENT, parts, extensions: [], referenceTaskIds: [] };
    eventBus.publish({ kind: "message", data });
    eventBus.finished();
  },
  async cancelTask() {},
};
const card = {
  name: "Remembers", description: "Tells what was said first", version: "1", capabilities: {},
  supportedInterfaces: [{ url: `http://127.0.0.1:${port}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" }],
  securitySchemes: {}, securityRequirements: [], signatures: [], defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "Remembers", description: "Tells what was said first", tags: [], examples: [] }],
};
const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
const app = express();
app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(port, "127.0.0.1");
