import { expect } from 'chai';
import fc from 'fast-check';
import { EpcisException } from '../../../epcis/domain/exceptions.ts';
import { chunked } from '../../../epcis/service/jobs-chunks.ts';
import { runJob, type JobRunParts } from '../../../epcis/service/jobs-run.ts';
import type { JobClaim, JobOutcome, JobStore } from '../../../epcis/service/jobs.ts';
import type { CaptureResult } from '../../../epcis/service/services.ts';

async function* pieces(document: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const to = Math.max(from, cut % (document.length + 1));
    yield document.subarray(from, to);
    from = to;
  }
  yield document.subarray(from);
}

describe('chunks of a document', () => {
  it('are the same bytes in pieces of one size, with all events counted, however they came', async () => {
    const xml = '<eventTimeZoneOffset>+00:00</eventTimeZoneOffset>';
    const json = '{"eventTimeZoneOffset": "+00:00"}';
    const word = fc.constantFrom(xml, json, ' eventTimeZoneOffset ', '<<', '"eventTime"', 'ü');
    await fc.assert(
      fc.asyncProperty(
        fc.array(word, { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.integer({ min: 1, max: 64 }),
        async (words, cuts, size) => {
          const document = new TextEncoder().encode(words.join(''));
          const bytes: number[] = [];
          let events = 0;
          const sizes: number[] = [];
          for await (const chunk of chunked(pieces(document, cuts), size)) {
            bytes.push(...chunk.bytes);
            sizes.push(chunk.bytes.length);
            events += chunk.events;
          }
          expect(bytes).to.deep.equal([...document]);
          expect(sizes.slice(0, -1).every((length) => length === size)).to.equal(true);
          expect(events).to.equal(words.filter((each) => each === xml || each === json).length);
        },
      ),
    );
  });
});

describe('a run of a capture job', () => {
  const claim: JobClaim = {
    id: 'j',
    owner: 'vm',
    attempt: 1,
    turn: 0,
    mediaType: 'text/xml',
    headers: {},
    errorBehaviour: 'proceed',
  };
  const result: CaptureResult = { captured: 1, duplicates: 0, vocabularyElements: 0, errors: [], warnings: [] };

  /** Runs one job whose capture does `work`; returns what the store was told, in order. */
  async function told(work: () => Promise<CaptureResult>, given = claim, signal = new AbortController().signal) {
    const calls: unknown[] = [];
    const store = {
      async *bytes() {
        yield new Uint8Array(1);
      },
      finish: async (_: JobClaim, outcome: JobOutcome) => calls.push(['finish', outcome]) > 0,
      release: async (_: JobClaim, delay: number) => void calls.push(['release', delay]),
      handOver: async () => void calls.push(['handOver']),
    } as unknown as JobStore;
    const parts: JobRunParts = {
      store,
      capture: {
        async capture(items) {
          const seen: unknown[] = [];
          for await (const item of items) seen.push(item);
          return work();
        },
      },
      read: (bytes) => bytes as AsyncIterable<never>,
      logFailure: () => 'log-1',
      maxAttempts: 3,
      pass: async () => undefined,
      alone: (_isNext, _signal, work) => work(),
      progress: { captured: 7 },
    };
    await runJob(parts, given, signal);
    return calls;
  }

  it('finishes with the result once it is committed', async () => {
    expect(await told(async () => result)).to.deep.equal([['finish', { success: true, errors: [], captured: 0 }]]);
    const errors = [{ type: 'ValidationException', reason: 'no time' }];
    expect(await told(async () => ({ ...result, errors }))).to.deep.equal([
      ['finish', { success: false, errors, captured: 0 }],
    ]);
  });

  it('finishes with the reason when the document is at fault', async () => {
    const calls = await told(() => Promise.reject(new EpcisException('ValidationException', 'bad', 'line 3')));
    const errors = [{ type: 'ValidationException', reason: 'bad (line 3)' }];
    expect(calls).to.deep.equal([['finish', { success: false, errors, captured: 0 }]]);
  });

  it('gives the job back when something else is, and gives up in the end', async () => {
    const failing = (): Promise<CaptureResult> => Promise.reject(new Error('database gone'));
    expect(await told(failing)).to.deep.equal([['release', 1]]);
    expect(await told(failing, { ...claim, attempt: 2 })).to.deep.equal([['release', 2]]);
    const reason = 'The capture failed; it is logged as log-1.';
    const errors = [{ type: 'ImplementationException', reason }];
    expect(await told(failing, { ...claim, attempt: 3 })).to.deep.equal([
      ['finish', { success: false, errors, captured: 0 }],
    ]);
  });

  it('does not try again what was tried too often', async () => {
    let isTried = false;
    const work = async (): Promise<CaptureResult> => {
      isTried = true;
      return result;
    };
    const [call] = await told(work, { ...claim, attempt: 4 });
    expect(call).to.have.nested.property('[1].errors[0].type', 'ImplementationException');
    expect(isTried).to.equal(false);
  });

  it('hands the job over when the VM closes', async () => {
    expect(await told(async () => result, claim, AbortSignal.abort())).to.deep.equal([['handOver']]);
  });
});
