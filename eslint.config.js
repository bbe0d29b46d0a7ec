import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import pureFolders from './test/architecture/pure-folders.json' with { type: 'json' };

// The same folders as in .dependency-cruiser.cjs. Import rules can't see globals, so these do.
const PURE = pureFolders.map((folder) => `${folder}/*.ts`);

const impureGlobals = [
  'process',
  'fetch',
  'console',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'performance',
  'crypto',
].map((name) => ({ name, message: 'Pure code gets what it needs as an argument (see CONTRIBUTING.md).' }));

const NO_PATHNAME = {
  selector: 'MemberExpression[property.name="pathname"] > NewExpression[callee.name="URL"] MetaProperty',
  message: 'A pathname is no path of a file where it has a space in it: fileURLToPath makes one.',
};

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'coverage', 'mmeliot-data', '**/*.cjs', '**/*.js'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    plugins: { regexp },
    rules: {
      // one text from outside could keep everybody waiting
      'regexp/no-super-linear-backtracking': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', NO_PATHNAME],
    },
  },
  {
    files: PURE,
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Time is an argument.' },
        { object: 'Math', property: 'random', message: 'Chance is an argument (a seeded generator).' },
      ],
      'no-restricted-syntax': [
        'error',
        NO_PATHNAME,
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is an argument.' },
      ],
    },
  },
  {
    // chai's assertions are property expressions; mocha's callbacks may be async without await; what tests read is their own
    files: ['test/**'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      'regexp/no-super-linear-backtracking': 'off',
    },
  },
);
