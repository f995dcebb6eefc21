"""A system's pictures under addresses of ours: the participant's browser never meets the system."""

from fastapi.responses import PlainTextResponse, Response

from vivavoce.connectors.pictures import picture_at
from vivavoce.web.site import ThisSite, ThisVisit
from vivavoce.web.transcript import pictures_of

HEADERS = {
    "Cache-Control": "private, max-age=86400",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
}


async def picture(site: ThisSite, visit_id: ThisVisit, dialogue_id: str, turn: int, number: int) -> Response:
    """A picture that the system showed in this visit's dialogue."""
    state = await site.engine.state(visit_id)
    dialogue = next((one for one in state.dialogues if one.dialogue_id == dialogue_id), None)
    addresses = pictures_of(dialogue, turn) if dialogue is not None else []
    if dialogue is None or not 0 <= number < len(addresses):
        return _missing()
    private = bool(site.study.systems[dialogue.system].get("allow_private", False))
    found = await picture_at(addresses[number], allow_private=private)
    return Response(found.data, media_type=found.media_type, headers=HEADERS) if found else _missing()


def _missing() -> Response:
    return PlainTextResponse("This picture cannot be shown.", 404)
