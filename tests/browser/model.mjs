// A language model for the browser tests: an endpoint like OpenAI's that answers from a table of questions.
import { createServer } from "node:http";

/** The last line of the prompt that is one of `answers`' keys decides; what is found nowhere is refused. */
function answerTo(messages, answers) {
  const text = messages.map((one) => one.content).join("\n");
  let best = null;
  for (const [key, answer] of Object.entries(answers)) {
    const at = text.lastIndexOf(key);
    if (at >= 0 && (best === null || at > best.at)) best = { at, answer };
  }
  return best === null ? "I cannot answer this." : best.answer;
}

/** The chunks of an answer: a few characters each, as a model gives them. */
function pieces(text) {
  return text.match(/[\s\S]{1,12}/g) ?? [""];
}

/** Starts the endpoint; `pause` milliseconds lie between two chunks. */
export async function startModel(answers, { pause = 4, port = 0 } = {}) {
  const asked = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += part;
    const { messages, stream, model } = JSON.parse(body);
    asked.push(messages);
    const text = answerTo(messages, answers);
    const usage = { prompt_tokens: 900, completion_tokens: text.length >> 2, total_tokens: 900 };
    const base = { id: "1", created: 0, model };
    if (!stream) {
      response.setHeader("content-type", "application/json");
      const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content: text } };
      response.end(JSON.stringify({ ...base, object: "chat.completion", choices: [choice], usage }));
      return;
    }
    response.setHeader("content-type", "text/event-stream");
    const send = (data) => response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...data })}\n\n`);
    for (const content of pieces(text)) {
      send({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      await new Promise((done) => setTimeout(done, pause));
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    send({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  return {
    asked,
    port: server.address().port,
    spec: `openai:stub@http://127.0.0.1:${server.address().port}/v1`,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}
