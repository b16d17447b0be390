// Two thumbs below every element with data-vote-token; data-sextant of this script is the service's URL.
const { sextant } = document.currentScript.dataset
for (const answer of document.querySelectorAll("[data-vote-token]")) {
  const url = `${sextant}/v1/votes/${encodeURIComponent(answer.dataset.voteToken)}`
  const form = document.createElement("form")
  form.innerHTML = `
    <button name="thumb" value="up" aria-label="Good answer">👍</button>
    <button name="thumb" value="down" aria-label="Bad answer">👎</button>
    <input name="comment" maxlength="1000" aria-label="Why?" placeholder="Why? (optional)">
    <output></output>`
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    const thumb = event.submitter.value
    const body = JSON.stringify({ thumb, comment: form.elements.comment.value || null })
    const said = form.querySelector("output")
    try {
      const response = await fetch(url, {
        method: "POST", credentials: "omit", headers: { "content-type": "application/json" }, body
      })
      if (!response.ok) throw new Error(String(response.status))
      for (const button of form.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(button.value === thumb))
      }
      said.value = "Thank you."
    } catch {
      said.value = "This did not work. Please try again later."
    }
  })
  answer.after(form)
}
