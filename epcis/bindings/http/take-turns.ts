// Whose question it is, and that what is long before it is even read waits for its turn first.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { lettingIn } from '../../turns/letting-in.ts';
import { answering } from '../../turns/own-turn.ts';
import { PIECE, type QuestionTurns } from '../../service/question-turns.ts';

/** Bytes of an address, or of a question by SOAP: dozens of parameters, or of values. */
const LONG_BYTES = 2_000;

export function takeTurns(turns: QuestionTurns) {
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    const question = turns.begin(whose(request));
    const answered = lettingIn.asked();
    response.once('close', () => {
      question.end();
      answered();
    });
    const proceed = (): void => {
      if (!response.closed) answering(question, next);
    };
    const turn = isLong(request) ? question.spend(PIECE) : undefined;
    if (turn === undefined) proceed();
    else void turn.then(proceed);
  };
}

/** By address, as the gateway says it. Who asks past a gateway may say what he likes: that gains him a turn, or costs one. */
function whose({ headers, socket }: IncomingMessage): string {
  return [headers['x-forwarded-for'] ?? socket.remoteAddress ?? ''].flat().join(',');
}

function isLong({ url = '', headers }: IncomingMessage): boolean {
  const body = Number(headers['content-length'] ?? (headers['transfer-encoding'] === undefined ? 0 : Infinity));
  return url.length > LONG_BYTES || (url.endsWith('/query') && body > LONG_BYTES);
}
