// What a file exports and nobody takes. A function, a class or a constant that only tests take is dead unless its own file needs it.
// Types may stand alone: they say what a function takes or gives. Names are looked for as words, so one that is used twice is never dead.
const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** `texts`: of each file of the project, by its path. Each dead export as `path: name`. */
export function deadExports(texts: ReadonlyMap<string, string>): readonly string[] {
  const users = new Map<string, Set<string>>();
  for (const [file, text] of texts)
    for (const word of new Set(text.match(/\w+/g))) users.set(word, (users.get(word) ?? new Set()).add(file));
  return [...texts].flatMap(([file, text]) => {
    if (isTest(file)) return [];
    const isDead = (name: string): boolean => {
      const others = [...(users.get(name) ?? [])].filter((user) => user !== file);
      const needed = text.match(new RegExp(`\\b${name}\\b`, 'g')) ?? [];
      return others.length === 0 || (others.every(isTest) && needed.length === 1);
    };
    const names = [...text.matchAll(EXPORTED)].map(([, name = '']) => name);
    return names.filter(isDead).map((name) => `${file}: ${name}`);
  });
}

const isTest = (file: string): boolean => file.startsWith('test/');
