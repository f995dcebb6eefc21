"""The system under test behind one small protocol; each connector is one file with its facts."""

from vivavoce.connectors.base import ConnectorKind
from vivavoce.connectors.http import HttpConnector
from vivavoce.connectors.openai import OpenAIConnector
from vivavoce.connectors.python import PythonConnector
from vivavoce.connectors.stdio import StdioConnector
from vivavoce.core.registry import Registry

CONNECTORS: Registry[ConnectorKind] = Registry("connector")

for _kind in (HttpConnector, OpenAIConnector, PythonConnector, StdioConnector):
    CONNECTORS.add(_kind.name, _kind)
