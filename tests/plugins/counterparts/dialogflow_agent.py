"""A Dialogflow agent, ES and CX, by Google's own definitions of its messages: `dialogflow_agent.py PORT`.

Knows nothing of ours. A request with a field that the service does not know is refused, as the service does.
It needs google-cloud-dialogflow and google-cloud-dialogflow-cx, which have an environment of their own.
"""

import sys
from typing import Any

import uvicorn
from google.cloud import dialogflow_v2 as es
from google.cloud import dialogflowcx_v3 as cx
from google.protobuf.json_format import ParseError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

first: dict[str, str] = {}
PICTURE = "https://example.org/a.png"
CHIPS = {"richContent": [[{"type": "chips", "options": [{"text": "Wine"}]}]]}
ES = "/v2/projects/{p}/agent/sessions/{session}:detectIntent"
CX = "/v3/projects/{p}/locations/{l}/agents/{a}/sessions/{session}:detectIntent"


def as_json(answer: Any) -> Response:
    written = type(answer).to_json(
        answer, use_integers_for_enums=False, always_print_fields_with_no_presence=False
    )
    return Response(written, media_type="application/json")


def refused(error: Exception) -> Response:
    told = {"code": 400, "status": "INVALID_ARGUMENT", "message": str(error)}
    return JSONResponse({"error": told}, status_code=400)


async def detect_es(request: Request) -> Response:
    try:
        asked = es.DetectIntentRequest.from_json(await request.body())
    except ParseError as error:
        return refused(error)
    query = asked.query_input
    if not (query.text.language_code or query.event.language_code) or len(query.text.text) > 256:
        return refused(ValueError("the language is missing, or the text is too long"))
    text = query.text.text or query.event.name
    message = es.Intent.Message
    answer = es.QueryResult(
        query_text=text,
        intent=es.Intent(name="projects/p/agent/intents/1", display_name="inform"),
        intent_detection_confidence=0.75,
        parameters={"food": "thai", "area": ""},
    )
    if text == "WELCOME":
        answer.fulfillment_text = "Welcome."
    elif text == "bye":
        answer.fulfillment_text = "Goodbye."
        answer.intent.end_interaction = True
    elif text == "menu":
        button = message.Card.Button(text="More")
        answer.fulfillment_messages = [
            message(text=message.Text(text=["Well, on Telegram?"]), platform=message.Platform.TELEGRAM),
            message(text=message.Text(text=["Well?"])),
            message(quick_replies=message.QuickReplies(title="?", quick_replies=["Yes", "No"])),
            message(card=message.Card(title="A card", image_uri=PICTURE, buttons=[button])),
            message(payload=CHIPS),
        ]
    else:
        said = first.setdefault(request.path_params["session"], text)
        answer.fulfillment_messages = [message(text=message.Text(text=[f"first was {said}"]))]
    return as_json(es.DetectIntentResponse(response_id="r", query_result=answer))


async def detect_cx(request: Request) -> Response:
    try:
        asked = cx.DetectIntentRequest.from_json(await request.body())
    except ParseError as error:
        return refused(error)
    query = asked.query_input
    if not query.language_code:
        return refused(ValueError("the language is missing"))
    text, message = query.text.text or query.event.event, cx.ResponseMessage
    said = text if query.event.event else first.setdefault("cx" + request.path_params["session"], text)
    messages = [message(text=message.Text(text=[f"first was {said}"]))]
    if text == "WELCOME":
        messages = [message(text=message.Text(text=["Welcome."]))]
    if text == "menu":
        messages = [message(text=message.Text(text=["Well?"])), message(payload=CHIPS)]
    if text == "bye":
        messages.append(message(end_interaction=message.EndInteraction()))
    intent = cx.Intent(name="projects/p/locations/l/agents/a/intents/1", display_name="inform")
    match = cx.Match(intent=intent, parameters={"food": "thai"}, confidence=0.5)
    result = cx.QueryResult(text=text, response_messages=messages, match=match)
    return as_json(cx.DetectIntentResponse(response_id="r", query_result=result))


app = Starlette(routes=[Route(ES, detect_es, methods=["POST"]), Route(CX, detect_cx, methods=["POST"])])

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
