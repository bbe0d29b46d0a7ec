/** What is asked again and again and always the same; forgotten all at once, now and then. */
const MOST = 20_000;
/** A longer text is seldom asked twice. */
const LONGEST = 200;

/** A function that remembers what it made of the texts that it was asked last. */
export function kept<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    let result = made.get(text);
    if (result !== undefined) return result;
    result = make(text);
    if (text.length <= LONGEST) {
      if (made.size >= MOST) made.clear();
      made.set(text, result);
    }
    return result;
  };
}
