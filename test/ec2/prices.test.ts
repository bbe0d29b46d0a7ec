import { expect } from 'chai';
import { parsePrices } from '../../ec2/documents/prices.ts';

describe('a table of on-demand prices', () => {
  const read = (text: string) => Object.fromEntries(parsePrices(text, 'prices.csv'));

  for (const [what, text] of [
    ['as written', 'type,price\nm3.medium,0.067\nm3.large,0.133\n'],
    [
      'with a byte order mark, CRLF, spaces and empty lines',
      '\uFEFFtype, price\r\n\r\nm3.medium, 0.067\r\nm3.large,0.133\r\n\r\n',
    ],
    ['with its columns in another order, and others', 'price,region,type\n0.067,us,m3.medium\n0.133,us,m3.large'],
    ['with a line twice', 'type,price\nm3.medium,0.067\nm3.large,0.133\nm3.medium,0.067'],
  ] as const)
    it(`is read ${what}`, () => expect(read(text)).to.deep.equal({ 'm3.medium': 0.067, 'm3.large': 0.133 }));

  for (const [line, sentence] of [
    ['m3.medium', 'has in line 3 no type,price: m3.medium'],
    ['m3.medium,', 'has in line 3 no type,price: m3.medium,'],
    ['m3.medium,NaN', 'has in line 3 no type,price: m3.medium,NaN'],
    ['m3.medium,Infinity', 'has in line 3 no type,price: m3.medium,Infinity'],
    ['m3.medium,-1', 'has in line 3 no type,price: m3.medium,-1'],
    ['m3.medium,$1', 'has in line 3 no type,price: m3.medium,$1'],
    ['m3.medium,0,067', 'has in line 3 no type,price: m3.medium,0,067'],
    ['m3.large,0.2', 'has in line 3 another price of m3.large than before.'],
  ] as const)
    it(`is refused with the line ${line}`, () => {
      expect(() => read(`type,price\nm3.large,0.133\n${line}\n`)).to.throw(`The price table prices.csv ${sentence}`);
    });

  it('is refused without its head', () => {
    for (const text of ['', 'm3.medium,0.067\n', 'type;price\n'])
      expect(() => read(text)).to.throw('The price table prices.csv must begin with the line type,price.');
  });
});
