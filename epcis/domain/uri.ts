// What counts as a URI, wherever the standard wants one, in JSON and in XML.

const URI =
  /^[A-Za-z][A-Za-z0-9+.-]*:(?:[^\s<>"%{}|\\^`[\]\p{Cc}\p{Cs}\uFFFE\uFFFF]|%[0-9A-Fa-f]{2}|\[[^\s<>"%{}|\\^`[\]\p{Cc}\p{Cs}\uFFFE\uFFFF]*\])+$/u;

/** A scheme, a colon and something without spaces; letters of any script are fine, a stray `%`, braces and control characters are not (RFC 3987). */
export const isUri = (text: string): boolean => URI.test(text);

/** A URI, or one that leaves out what stands before it, as XML lets it. */
export const isUriReference = (text: string): boolean => isUri(text) || isUri(`urn:${text}`);
