// What the admin API answers, as JSON schemas. The types are those of src/loop and src/model.ts; fields are named as there.
const text = { type: 'string' };
const number = { type: 'number' };
const flag = { type: 'boolean' };
/** ms since the epoch */
const time = { type: 'number', description: 'ms since the epoch' };
const anything = { type: 'object' };
const list = (items: object): object => ({ type: 'array', items });
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Names that end with ? may be absent; nothing besides is sent. */
function record(fields: Readonly<Record<string, object>>): object {
  const names = Object.keys(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    additionalProperties: false,
  };
}

const limits = record({ min: number, max: number, 'scheduledBy?': text });
const threshold = record({ name: text, of: text, value: number });
const bounds = record({ min: number, max: number, 'scheduledBy?': text, thresholds: list(threshold) });
const who = { who: text, at: time };
const change = record({ ...who, patch: anything, 'before?': anything });
const condition = { enum: ['ok', 'note', 'warning', 'error', 'unknown'] };
const causes = { type: 'object', additionalProperties: number };
const action = { enum: ['allocate', 'release', 'hold'] };
const outcome = record({ step: text, 'vm?': text, ok: flag, 'message?': text, durationMs: number });
const classes = list(
  record({
    ...{ name: text, arrived: number, answered: number, lost: number },
    queueTime: number,
    responseTime: number,
  }),
);
const percentiles = { 'p50?': number, 'p95?': number, 'p99?': number };
const signals = { 'lp?': number, 'tp?': number, 'deltaTp?': number };
const rates = { responseTime: number, queueTime: number, arrivalRate: number, throughput: number, lost: number };
const totals = record({
  ...{ allocated: number, released: number, actions: number, vmMinutes: number },
  ...{ 'cost?': number, saturatedMinutes: number, turns: number },
});
const side = record({ vms: number, ready: number, 'cpu?': number, action });

export const answers = {
  Error: record({ error: record({ code: text, message: text }) }),
  Anything: anything,
  Stream: text,
  ManagerView: record({
    ...{ version: text, group: text, provider: text, gateway: text },
    ...{ 'role?': text, 'work?': anything, at: time, startedAt: time, nextPeriodAt: time },
    counts: { type: 'object', additionalProperties: number },
    thresholds: list(threshold),
    vms: list(ref('Vm')),
    traffic: anything,
    'backlog?': record({ jobs: number, events: number, age: number, 'runs?': number, 'rate?': number }),
    'jobs?': list(anything),
    ...signals,
    'last?': ref('Period'),
    explanation: list(text),
    parameters: anything,
    'lastChange?': record(who),
    changes: list(change),
    byHand: list(record({ ...who, deed: anything })),
    limits,
    energy: number,
    money: record({ rate: number, cost: number, saved: number, isPriced: flag }),
    conditions: list(record({ name: text, status: condition, reason: text, 'remedy?': text, since: time })),
    problems: list(ref('Problem')),
  }),
  Vm: record({
    ...{ id: text, state: text, since: time, 'bootTime?': number, 'note?': text, warming: flag, dark: flag },
    'address?': record({ host: text, port: number }),
    ...{ 'offer?': anything, 'interruptAt?': time, 'inPlaceOf?': text, 'relieves?': text, 'price?': number },
    ...{ 'lp?': number, 'tp?': number, 'cpu?': number, 'memory?': number },
    ...{ 'inFlight?': number, 'limit?': number, 'responseTime?': number },
  }),
  Problem: record({
    ...{ since: time, severity: { enum: ['warning', 'error'] }, message: text, 'condition?': text },
    'acknowledged?': record(who),
  }),
  Period: record({
    ...{ at: time, period: number, policy: text, action, count: number, rule: text, reason: text, 'guard?': text },
    outcome: list(outcome),
    ...{ ready: number, vms: number, 'span?': number, 'bounds?': bounds, 'causes?': causes, 'classes?': classes },
    ...signals,
    ...rates,
    ...percentiles,
  }),
  DecisionRecord: record({
    ...{ at: time, period: number, policy: text, observation: anything, forecast: anything, decision: anything },
    outcome: list(outcome),
    'bounds?': bounds,
  }),
  Parameters: { type: 'object', required: ['policy', 'high', 'low', 'min', 'max', 'period', 'paused', 'dryRun'] },
  ChangeResult: record({ parameters: ref('Parameters'), warnings: list(text) }),
  ResetResult: record({ parameters: ref('Parameters'), warnings: list(text), reset: list(text) }),
  Setting: record({
    ...{ name: text, doc: text, expected: text, kind: { enum: ['number', 'text', 'choice'] }, 'unit?': text },
    ...{ 'choices?': { type: 'array' }, value: {}, isMain: flag },
  }),
  History: record({ from: time, until: time, points: list(ref('Point')) }),
  Point: record({
    ...{ at: time, span: number, ready: number, vms: number, 'bounds?': bounds, allocated: number, released: number },
    'decisions?': list(record({ at: time, action, count: number, rule: text, reason: text })),
    ...{ 'causes?': causes, 'classes?': classes },
    ...signals,
    ...rates,
    ...percentiles,
  }),
  Preview: record({
    ...{ from: time, until: time, periods: number, before: totals, after: totals, saturatedAbove: number },
    'differsFrom?': time,
    points: list(record({ at: time, before: side, after: side })),
    warnings: list(text),
  }),
  Added: record({ added: number }),
  VmAnswer: record({ vm: { anyOf: [ref('Vm'), { type: 'null' }] } }),
  ProblemAnswer: record({ problem: { anyOf: [ref('Problem'), { type: 'null' }] } }),
  VmPage: record({
    ...{ id: text, 'vm?': ref('Vm'), 'log?': list(text) },
    samples: list(
      record({
        ...{ at: time, state: text, 'cpu?': number, 'memory?': number, 'networkIn?': number, 'networkOut?': number },
        ...{ 'lp?': number, 'responseTime?': number },
      }),
    ),
    life: list(record({ at: time, outcome })),
  }),
  AuditEntry: record({ at: text, who: text, from: text, what: text, 'change?': {}, 'status?': number }),
  Visitor: record({ name: text, role: { enum: ['viewer', 'operator'] } }),
};
