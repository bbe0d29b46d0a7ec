// The walls of the project. Each rule says why it stands.
// the files of these folders, without the folders inside them
const PURE = require('./test/architecture/pure-folders.json').map((folder) => `^${folder}/[^/]+$`);

// the folders of tsconfig.json that the program is in
const FOLDERS = require('./tsconfig.json').include.filter((folder) => !['packaging', 'test'].includes(folder));
const CODE = `^(${FOLDERS.join('|')})/`;
// clouds: each a folder of its own
const PROVIDERS = FOLDERS.filter((folder) => !['src', 'epcis', 'loadgen'].includes(folder));

const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
// only `where` may import `what`
const onlyIn = (name, what, where) =>
  wall(name, `${what} is imported only in ${where}.`, { path: CODE, pathNot: where }, { path: what });

module.exports = {
  forbidden: [
    wall(
      'pure-stays-pure',
      'Pure code does no I/O: no Node core module, no npm package.',
      { path: PURE },
      { dependencyTypes: ['core', 'npm', 'npm-dev'] },
    ),
    wall(
      'pure-needs-only-pure',
      'What pure code imports must be pure too (types may come from anywhere).',
      { path: PURE },
      { path: CODE, pathNot: PURE, dependencyTypesNot: ['type-only'] },
    ),
    wall(
      'predict-knows-the-model-only',
      'A predictor sees samples, nothing else.',
      { path: '^src/predict/' },
      { path: CODE, pathNot: ['^src/predict/', '^src/model[.]ts$'] },
    ),
    wall(
      'decide-knows-the-model-only',
      'A policy sees what was observed and forecast and declares its settings; it may calculate with the formulas of queueing.',
      { path: '^src/decide/' },
      {
        path: CODE,
        pathNot: ['^src/decide/', '^src/queueing/', '^src/settings/', '^src/fleet/settings[.]ts$', '^src/model[.]ts$'],
      },
    ),
    wall(
      'policies-are-blind-to-the-mix',
      'The policy says how many; which kind is not its business, nor what it is paid.',
      { path: '^src/decide/(adaptive|common|policies)/' },
      { path: '^src/fleet/' },
    ),
    wall(
      'the-mix-is-blind-to-policies',
      'Which kind of VM is the same question whatever said how many.',
      { path: '^src/fleet/' },
      { path: CODE, pathNot: ['^src/fleet/', '^src/settings/', '^src/model[.]ts$'] },
    ),
    wall(
      'packing-stands-between-providers',
      'To the manager it is a provider, to a provider a manager: it knows the port, and nothing of what is above.',
      { path: '^src/packing/' },
      {
        path: CODE,
        pathNot: [
          '^src/packing/',
          '^src/settings/',
          '^src/act/(provider|of-role)[.]ts$',
          '^src/(model|errors|random)[.]ts$',
        ],
      },
    ),
    wall(
      'balance-is-unaware-of-the-loop',
      'The data path works when the control loop is down.',
      { path: '^src/balance/' },
      { path: '^src/(loop|decide|predict|act|admin|manager|cli|simulate|compare)/' },
    ),
    wall(
      'access-knows-clients-only',
      'Who a client is, is decided without knowing who asks or what for.',
      { path: '^src/access/' },
      { path: CODE, pathNot: ['^src/(access|settings)/', '^epcis/(access|domain|files)/'] },
    ),
    wall(
      'epcis-stands-alone',
      'The service that is scaled knows nothing of what scales it.',
      { path: '^epcis/' },
      { path: CODE, pathNot: '^epcis/' },
    ),
    ...PROVIDERS.map((own) =>
      wall(
        `${own}-sees-the-port-only`,
        'A provider knows the port it implements, the model and the errors.',
        { path: `^${own}/` },
        {
          path: CODE,
          pathNot: [
            `^${own}/`,
            '^src/(act/(provider|provider-check|local/(emulated-doors|machine-room))|model|errors)[.]ts$',
          ],
        },
      ),
    ),
    onlyIn('the-sdk-in-one-place', '(^|/)node_modules/@(aws-sdk|smithy)/', '^ec2/(client|error)[.]ts$'),
    wall(
      'loadgen-is-a-client',
      "Load comes from outside: loadgen may use EPCIS types, the simulator, and what is nobody's (chance, files, units, drawing), no server code.",
      { path: '^loadgen/' },
      {
        path: CODE,
        pathNot: [
          '^loadgen/',
          '^epcis/domain/',
          '^src/simulate/simulate[.]ts$',
          '^src/(model|random|svg|histogram|time-left)[.]ts$',
          '^src/(files|settings)/',
        ],
      },
    ),
    wall(
      'only-manager-and-commands-wire',
      'Adapters are chosen in one place, the composition root; commands stand above it.',
      { path: CODE, pathNot: '^src/(cli|manager)/' },
      {
        path: [
          '^src/(cli|manager)/',
          '^src/act/local/local-provider',
          '^src/monitor/udp/(collector|agent)',
          '^src/config/load',
          `^(${PROVIDERS.join('|')})/provider`,
        ],
      },
    ),
    wall(
      'the-manager-knows-no-command',
      'What a manager is made of can be started by any command, or by a test.',
      { path: '^src/manager/' },
      { path: '^src/cli/' },
    ),
    wall(
      'service-before-binding',
      'SOAP and REST are two doors to one service; the service knows no door.',
      { path: '^epcis/(domain|service|repository)/' },
      { path: '^epcis/(bindings|server)' },
    ),
    wall(
      'bindings-do-not-touch-storage',
      'A binding goes through the service.',
      { path: '^epcis/bindings/' },
      { path: '^epcis/repository/' },
    ),
    wall(
      'one-place-forwards',
      'What forwards requests is named in forwarder.ts; remote-gateway.ts only calls a control door.',
      { path: '^src/balance/', pathNot: '^src/balance/(builtin/forwarder|remote/remote-gateway)[.]ts$' },
      { path: '(^|/)node_modules/(undici|http-proxy)/' },
    ),
    onlyIn(
      'sql-drivers-in-the-repository',
      '(/mysql2/|^(node:)?sqlite$)',
      '^epcis/repository/database/(mysql|mysql-cluster|sqlite)[.]ts$',
    ),
    onlyIn('express-at-the-edges', '(^|/)node_modules/express/', '^(src/admin|epcis/bindings|epcis/server[.]ts)'),
    onlyIn(
      'processes-in-three-places',
      '^(node:)?child_process$',
      '^(src/act/local/local-provider|src/balance/haproxy/start|loadgen/live)[.]ts$',
    ),
    wall('no-cycles', 'A cycle means two files are one.', {}, { circular: true }),
    wall('no-orphans', 'Dead file: use it or delete it.', { orphan: true, path: CODE, pathNot: '[.]d[.]ts$' }, {}),
    wall('no-test-in-production', 'Production code never imports a test.', { pathNot: '^test/' }, { path: '^test/' }),
    wall(
      'no-dev-dependency-in-production',
      'npm ci --omit=dev must run. (The AWS SDK is an optional peer: who chooses EC2 installs it.)',
      { pathNot: '^(test|packaging/site)' },
      {
        path: '',
        pathNot: '(^|/)node_modules/@aws-sdk/',
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
      },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
