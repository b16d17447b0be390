// Opens the page of main.mjs in a headless Chromium, and clicks on a thumb as a reader would.
import { fork } from "node:child_process"
import { once } from "node:events"
import { chromium } from "playwright-core"

const server = fork(new URL("main.mjs", import.meta.url), { stdio: ["ignore", "pipe", "inherit", "ipc"] })
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] })
try {
  const [line] = await once(server.stdout, "data")
  const page = await browser.newPage()
  await page.goto(String(line).replace("page: ", "").trim())
  console.log(`answer: ${await page.textContent("p")}`)
  if (await page.locator("form").count() === 0) console.log("no thumbs: no token")
  else {
    await page.fill("input", "The currency is missing.")
    await page.click("button[value=down]")
    await page.waitForFunction(() => document.querySelector("output").value !== "")
    console.log(`reader: ${await page.inputValue("input")}`)
    console.log(`page: ${await page.evaluate(() => document.querySelector("output").value)}`)
  }
} finally {
  await browser.close()
  server.kill()
}
