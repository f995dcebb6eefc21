"""What becomes of a page that waits for news while the server closes."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from scenes.browsing import serve, study_with_texts
from scenes.patience import PATIENCE_S, eventually
from scenes.visits import Parrot
from vivavoce.log.store import Log


def test_whoever_waits_for_news_is_answered_when_the_server_closes(tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log, ThreadPoolExecutor(1) as others:
        with serve(study_with_texts(tmp_path), log, Parrot()) as browsers:
            visitor = browsers()
            dialogue_id = visitor.into_dialogue()
            site = visitor.server.site
            begun: list[float] = []
            news = site.news

            async def watched(visit_id: str, after: int, wait_s: float) -> object:
                begun.append(wait_s)
                return await news(visit_id, after, wait_s)

            site.news = watched
            seq = visitor.client.get("/events", params={"dialogue_id": dialogue_id}).json()["seq"]
            query = {"dialogue_id": dialogue_id, "after": seq, "wait": 25}
            cookies = dict(visitor.client.cookies)
            polled = others.submit(
                httpx.get,
                f"{visitor.server.url.rstrip('/')}/events",
                params=query,
                cookies=cookies,
                timeout=PATIENCE_S,
                trust_env=False,
            )
            eventually(lambda: 25 in begun)
        answer = polled.result()
    assert answer.status_code == 200
    assert answer.json()["events"] == []
