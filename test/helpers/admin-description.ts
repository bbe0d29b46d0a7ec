// The admin API's answers, held against its own description.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openapi } from '../../src/admin/openapi.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: 'api', ...openapi('1.2.3') });
const compiled = new Map<string, ValidateFunction>();

/** What of an answer is not as the description says, or undefined. `path`: `/vms/{id}`. */
export function undescribed(method: string, path: string, status: number, answer: unknown): string | undefined {
  const at = path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const $ref = `api#/paths/${at}/${method}/responses/${status}/content/application~1json/schema`;
  const validate = compiled.get($ref) ?? ajv.compile({ $ref });
  compiled.set($ref, validate);
  return validate(answer) === true ? undefined : `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`;
}
