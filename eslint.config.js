import tseslint from 'typescript-eslint';

// The folders that walls (.dependency-cruiser.cjs) declare pure. Import rules can't see globals, so these do.
const PURE = [
  'src/model.ts',
  'src/errors.ts',
  'src/predict/**',
  'src/decide/**',
  'src/loop/**',
  'src/simulate/**',
  'src/monitor/{monitor,window,load-report,response-times}.ts',
  'src/act/{provider,plan,execute}.ts',
  'src/balance/{vm-pool,admission,admission-queue,concurrency-limit,options,retry-budget,headers}.ts',
  'src/balance/{contract,counters,sum-counters,traffic,request-rules,haproxy-config,haproxy-log}.ts',
  'src/balance/selectors/**',
  'epcis/{domain,service}/**',
  'epcis/repository/{repository,criteria,sql}.ts',
  'epcis/bindings/xml/**',
  'opennebula/{xml-rpc,vm,template}.ts',
  'loadgen/{profiles,workload,report}/**',
  'loadgen/{pacer,vm-speed}.ts',
];

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

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'coverage', 'mmeliot-data', '**/*.cjs', '**/*.js'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'prefer-const': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
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
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'Time is an argument.' },
      ],
    },
  },
  {
    // chai's assertions are property expressions; mocha's callbacks may be async without await
    files: ['test/**'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off' },
  },
);
