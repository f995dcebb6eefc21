"""A chat written with Streamlit: `streamlit run streamlit_chat.py`."""

import streamlit as st

said = st.session_state.setdefault("said", [])
for who, text in said:
    st.chat_message(who).write(text)
if text := st.chat_input("Say something"):
    st.chat_message("user").write(text)
    first = next((words for who, words in said if who == "user"), text)
    answer = f"first was {first}"
    st.chat_message("assistant").write(answer)
    said += [("user", text), ("assistant", answer)]
