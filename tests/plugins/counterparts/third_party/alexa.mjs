// An Alexa skill on the Alexa Skills Kit SDK for Node behind its own Express adapter: node alexa.mjs PORT
import express from "express";
import Alexa from "ask-sdk-core";
import { ExpressAdapter } from "ask-sdk-express-adapter";

const Says = {
  canHandle: ({ requestEnvelope }) => Alexa.getRequestType(requestEnvelope) === "IntentRequest",
  handle({ requestEnvelope, attributesManager, responseBuilder }) {
    const kept = attributesManager.getSessionAttributes();
    kept.first ??= Alexa.getSlotValue(requestEnvelope, "words");
    attributesManager.setSessionAttributes(kept);
    return responseBuilder.speak(`first was ${kept.first}`).withShouldEndSession(false).getResponse();
  },
};

const Welcomes = {
  canHandle: ({ requestEnvelope }) => Alexa.getRequestType(requestEnvelope) === "LaunchRequest",
  handle: ({ responseBuilder }) => responseBuilder.speak("Welcome.").reprompt("Say something.").getResponse(),
};

const skill = Alexa.SkillBuilders.custom().addRequestHandlers(Welcomes, Says).create();
const adapter = new ExpressAdapter(skill, false, false); // no signature of Amazon's, no check of its time
const app = express();
app.post("/", adapter.getRequestHandlers());
app.listen(Number(process.argv[2]), "127.0.0.1");
