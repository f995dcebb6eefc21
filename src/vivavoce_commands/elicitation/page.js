// Says aloud that the robot has understood.

const said = document.getElementById("understood");
if ("speechSynthesis" in window) {
  const words = new SpeechSynthesisUtterance(said.textContent);
  words.lang = said.dataset.voice;
  speechSynthesis.speak(words);
}
