import { expect } from 'chai';
import { readRules } from '../../../../epcis/access/rules/read.ts';

const rule = (more: object) => ({ rules: [{ name: 'r', for: 'client:acme', ...more }] });
const refusal = (document: unknown): string => {
  try {
    readRules(document);
    return 'read';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
};

describe('a document of rules', () => {
  it('is read', () => {
    const [see, deny, hide, capture, places] = readRules({
      rules: [
        {
          name: 'a',
          for: ['client:a', 'group:g'],
          see: [{ EQ_bizStep: 'shipping' }, { epc: 'urn:x:1' }],
          hide: ['ilmd', 'urn:x#price'],
        },
        { name: 'b', for: 'everybody', deny: { GE_eventTime: 'now-1d', EXISTS_errorDeclaration: true } },
        {
          name: 'c',
          for: { issuer: 'https://i', claims: { country: ['pt', 'es'] } },
          hide: 'urn:x#*',
          where: { EQ_action: 'ADD' },
        },
        { name: 'd', for: 'client:a', capture: { everyEPC: 'urn:x:1', EQ_readPoint: 'urn:x:gate' } },
        { name: 'e', for: 'client:a', masterData: { EQ_name: 'urn:x:gate' } },
      ],
    });
    const now = Date.UTC(2026, 0, 2);
    expect(see?.parties).to.deep.equal([
      { kind: 'client', name: 'a' },
      { kind: 'group', name: 'g' },
    ]);
    expect(see?.see?.(now)).to.have.length(2);
    expect(see?.hide?.of(now)).to.deep.equal(see?.see?.(now));
    expect(see?.hide?.fields).to.deep.equal([
      { kind: 'part', part: 'ilmd' },
      { kind: 'extension', key: 'urn:x#price' },
    ]);
    const [denied = []] = deny?.deny?.(now) ?? [];
    expect(denied[0]).to.deep.equal({ kind: 'time', column: 'eventTime', from: Date.UTC(2026, 0, 1) * 1000 });
    expect(denied).to.have.length(2);
    expect(hide?.parties).to.deep.equal([{ kind: 'claims', issuer: 'https://i', claims: { country: ['pt', 'es'] } }]);
    expect(capture?.capture?.everyEpc).to.deep.equal(['urn:x:1']);
    expect(places?.masterData).to.deep.equal({ names: ['urn:x:gate'] });
  });

  it('is refused with the place, and what to do', () => {
    const refused: readonly (readonly [unknown, string])[] = [
      [undefined, 'the document is no object: write rules: and below it a list of rules.'],
      [{ rule: [] }, "the document has 'rule'; possible are rules."],
      [{ rules: {} }, 'rules is no list of rules.'],
      [{ rules: ['x'] }, 'rules[0] is no rule: it needs name, for, and what it does.'],
      [{ rules: [{ for: 'everybody' }] }, 'rules[0].name must be a text of up to 100 characters.'],
      [
        rule({}),
        'rules[0] (r) must have one of see, deny, hide, capture, masterData (or see with hide), and has none.',
      ],
      [
        rule({ see: 'everything', deny: 'everything' }),
        'rules[0] (r) must have one of see, deny, hide, capture, masterData (or see with hide), and has see, deny.',
      ],
      [
        rule({ sees: 'everything' }),
        "rules[0] has 'sees'; possible are name, for, see, deny, hide, capture, masterData, where.",
      ],
      [rule({ see: {} }), 'rules[0] (r).see has no condition: write everything where that is meant.'],
      [rule({ see: 'all' }), 'rules[0] (r).see must be everything, or query parameters with their values.'],
      [
        rule({ see: { EQ_bizstep: 'x' } }),
        "rules[0] (r).see.EQ_bizstep is wrong: SimpleEventQuery has no parameter 'EQ_bizstep'.",
      ],
      [
        rule({ see: { EQ_action: 'LOOK' } }),
        "rules[0] (r).see.EQ_action is wrong: EQ_action takes one of ADD, OBSERVE, DELETE, not 'LOOK'.",
      ],
      [rule({ see: { EQ_action: [] } }), 'rules[0] (r).see.EQ_action is missing or empty.'],
      [rule({ see: { EQ_action: [{}] } }), 'rules[0] (r).see.EQ_action[0] must be a text.'],
      [
        rule({ see: { GE_eventTime: 'now-3w' } }),
        "rules[0] (r).see.GE_eventTime has 'now-3w': write now-30d, with s, m, h or d.",
      ],
      [
        rule({ see: { GE_eventTime: 'now-99999999d' } }),
        "rules[0] (r).see.GE_eventTime has 'now-99999999d': write now-30d, with s, m, h or d.",
      ],
      [
        rule({ see: { orderBy: 'eventTime' } }),
        'rules[0] (r).see.orderBy is about the order or number of results, not about events.',
      ],
      [
        rule({ see: { HASATTR_epcClass: 'urn:x' } }),
        'rules[0] (r).see.HASATTR_epcClass asks for master data of an extension, which rules cannot.',
      ],
      [
        rule({ hide: ['price'] }),
        /^rules\[0\] \(r\)\.hide\[0\] is 'price': an extension is written namespace#name/.source,
      ],
      [
        rule({ see: 'everything', where: 'everything' }),
        'rules[0] (r).where says of which events fields are hidden, so it goes with hide alone.',
      ],
      [
        rule({ capture: { WD_readPoint: 'urn:x' } }),
        'rules[0] (r).capture asks for master data (WD_, HASATTR_, EQATTR_, location), which is not known of what is to be captured.',
      ],
      [
        rule({ capture: { GE_recordTime: 'now' } }),
        'rules[0] (r).capture asks for the record time, which what is to be captured does not have yet.',
      ],
      [
        rule({ masterData: { name: 'x' } }),
        "rules[0] (r).masterData has 'name'; possible are vocabularyName, EQ_name, WD_name.",
      ],
      [
        rule({ for: 'acme', see: 'everything' }),
        'rules[0] (r).for must be everybody, client:NAME, group:NAME, or issuer: and claims: of a token.',
      ],
      [rule({ for: [], see: 'everything' }), 'rules[0] (r).for is missing or empty.'],
      [
        { rules: [...rule({ see: 'everything' }).rules, ...rule({ see: 'everything' }).rules] },
        "rules[1].name is 'r', which another rule has: names tell rules apart.",
      ],
    ];
    for (const [document, message] of refused) {
      if (message.startsWith('^')) expect(refusal(document)).to.match(new RegExp(message));
      else expect(refusal(document)).to.equal(message);
    }
  });
});
