import { expect } from 'chai';
import { PROBLEMS, problemOf, writeProblem } from '../../../../epcis/bindings/rest/problem.ts';
import { EpcisException, type ExceptionName } from '../../../../epcis/domain/exceptions.ts';

describe('problem details', () => {
  const table: Readonly<Record<number, readonly ExceptionName[]>> = {
    400: [
      'ValidationException',
      'QueryParameterException',
      'QueryValidationException',
      'SubscriptionControlsException',
      'InvalidURIException',
      'SubscribeNotPermittedException',
    ],
    403: ['SecurityException'],
    404: ['NoSuchNameException', 'NoSuchResourceException', 'NoSuchSubscriptionException'],
    406: ['NotAcceptableException'],
    409: ['ResourceAlreadyExistsException', 'DuplicateSubscriptionException'],
    413: ['CaptureLimitExceededException', 'QueryTooLargeException', 'QueryTooComplexException'],
    414: ['URITooLongException'],
    415: ['UnsupportedMediaTypeException'],
    500: ['ImplementationException'],
  };
  for (const [status, names] of Object.entries(table)) {
    it(`answers ${status} to ${names.join(', ')}`, () => {
      for (const name of names) {
        const problem = problemOf({ exception: new EpcisException(name, 'why') });
        expect(problem).to.include({ status: Number(status), type: `epcisException:${name}`, detail: 'why' });
      }
    });
  }

  it('has a title for each', () => {
    for (const [status, title] of Object.values(PROBLEMS))
      expect([status > 0, title.length > 0]).to.deep.equal([true, true]);
  });

  it('writes JSON and XML that no reason can break out of', () => {
    const problem = problemOf({ exception: new EpcisException('ValidationException', '<b>&"\u0000') });
    expect(JSON.parse(writeProblem(problem, 'json').text)).to.deep.equal({ ...problem });
    const { type, text } = writeProblem(problem, 'xml');
    expect(type).to.equal('application/problem+xml');
    expect(text).to.contain('<detail>&lt;b&gt;&amp;&quot;\uFFFD</detail>');
  });
});
