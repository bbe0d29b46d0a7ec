// What an answer without success says, in each form in which EPCIS services and gateways say it.

/** Longer is no sentence for people. */
const LONGEST = 400;

/** Of problem details, a SOAP fault, or one line of text; undefined: it says nothing that a person would want to read. */
export function sentenceIn(body: string): string | undefined {
  const text = body.trim();
  if (text.startsWith('{')) return detailOf(text);
  if (text.startsWith('<')) return /<(?:faultstring|detail)>([^<]+)</.exec(text)?.[1];
  return text === '' || text.includes('\n') || text.length > LONGEST ? undefined : text;
}

function detailOf(json: string): string | undefined {
  try {
    const { detail } = JSON.parse(json) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}
