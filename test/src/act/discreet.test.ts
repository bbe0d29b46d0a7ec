import { expect } from 'chai';
import { inspect } from 'node:util';
import { discreet } from '../../../src/act/discreet.ts';
import type { Provider } from '../../../src/act/provider.ts';
import { MmeliotError } from '../../../src/errors.ts';
import { createSecrets } from '../../../src/secrets.ts';

describe('a discreet provider', () => {
  const talking = (work: Partial<Provider>): Provider =>
    discreet(
      {
        name: 'x',
        list: async () => [],
        offers: async () => [],
        allocate: async () => '1',
        release: async () => undefined,
        ...work,
      },
      createSecrets('s3cret'),
    );
  const refusal = async (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => expect.fail('it worked'),
      (reason: unknown) => reason as Error,
    );

  it('keeps the code of an error, and nothing else that may quote', async () => {
    const cause = new Error('s3cret');
    const provider = talking({
      allocate: () => Promise.reject(new MmeliotError('NO_CAPACITY', 'Full, s3cret.', { cause })),
    });
    const error = await refusal(provider.allocate({ mark: 'a' }));
    expect(error).to.be.instanceOf(MmeliotError).and.include({ code: 'NO_CAPACITY', message: 'Full, ***.' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.to.include('s3cret');
  });

  it('quotes nothing of what this VM alone is told', async () => {
    const environment = { MMELIOT_NODE: 'k3y-of-the-node' };
    const provider = talking({
      allocate: ({ environment: told = {} }) =>
        Promise.reject(new Error(`Bad CONTEXT: s3cret ${Buffer.from(JSON.stringify(told)).toString('base64')}`)),
    });
    const error = await refusal(provider.allocate({ mark: 'a', environment }));
    expect(error.message).to.equal('Bad CONTEXT: *** ***');
  });

  it('cleans notes, and errors that are no errors of ours', async () => {
    const note = 'DEPLOY failed with s3cret';
    const provider = talking({
      list: async () => [{ id: '1', state: 'failed', createdAt: 0, note }],
      release: () => Promise.reject(new TypeError('s3cret')),
    });
    expect((await provider.list())[0]?.note).to.equal('DEPLOY failed with ***');
    expect((await refusal(provider.release('1'))).message).to.equal('***');
  });

  it('cuts what is too long for a sentence, after cleaning it', async () => {
    const long = `${'x'.repeat(497)}s3cret`;
    const provider = talking({ release: () => Promise.reject(new Error(long)) });
    expect((await refusal(provider.release('1'))).message).to.equal(`${'x'.repeat(497)}***`);
    const longer = talking({ release: () => Promise.reject(new Error(`x${long}`)) });
    expect((await refusal(longer.release('1'))).message).to.equal(`${'x'.repeat(498)}**…`);
  });
});
