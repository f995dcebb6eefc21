"""A graph written with LangGraph, served by `langgraph dev`."""

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph


def remember(state: MessagesState):
    said = next(one for one in state["messages"] if isinstance(one, HumanMessage))
    return {"messages": [AIMessage(f"first was {said.content}")]}


graph = StateGraph(MessagesState).add_node("remember", remember).add_edge(START, "remember").compile()
