// What can go wrong at EC2, by AWS's own codes, as a sentence with a remedy.
import { MmeliotError, type ErrorCode } from '../src/errors.ts';
import { NoAnswer } from './whole-answers.ts';

/** No room in a pool, or not for that price: another one may have it. */
const NO_CAPACITY: readonly string[] = [
  'InsufficientInstanceCapacity',
  'InsufficientHostCapacity',
  'InsufficientCapacity',
  'InsufficientFreeAddressesInSubnet',
  'SpotMaxPriceTooLow',
  'MaxSpotInstanceCountExceeded',
  'UnfulfillableCapacity',
  'Unsupported', // the zone has no such type
];

/** A quota of the account: of instances, vCPUs, volumes, network interfaces. */
const QUOTA = /LimitExceeded$/;
/** But this one is of calls. */
const THROTTLED = 'RequestLimitExceeded';

const WRONG_LOGIN =
  "AWS refuses the login: check the access key that the AWS SDK finds (environment, profile or role), this machine's clock, and that the account has that region enabled.";
/** EC2 says RequestExpired of temporary credentials as well; a clock that is wrong the SDK mostly corrects by itself. */
const EXPIRED_LOGIN =
  "AWS takes the login or the request for expired: renew temporary credentials (aws sso login; new keys in environment or profile count from mmeliot's next start), and look at this machine's clock.";

const SPOT_ROLE = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

/** Only a person can put these right. */
const REMEDIES: Readonly<Record<string, string>> = {
  UnauthorizedOperation: 'AWS does not allow it: give the user the policy of ec2/README.md.',
  AuthFailure: WRONG_LOGIN,
  [SPOT_ROLE]:
    'The account has never had a spot instance: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com, once.',
  InvalidClientTokenId: WRONG_LOGIN,
  UnrecognizedClientException: WRONG_LOGIN,
  SignatureDoesNotMatch: 'AWS refuses the login: check the secret access key.',
  MissingAuthenticationToken: 'AWS asks for a login: give the AWS SDK an access key, a profile or a role.',
  CredentialsProviderError:
    'The AWS SDK finds no login: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or give the machine a role.',
  TokenProviderError: EXPIRED_LOGIN,
  RequestExpired: EXPIRED_LOGIN,
  ExpiredToken: EXPIRED_LOGIN,
  ExpiredTokenException: EXPIRED_LOGIN,
  OptInRequired: 'The AWS account has not subscribed to this: see the AWS console.',
  PendingVerification: 'The AWS account is still being verified.',
  Blocked: 'The AWS account is blocked: ask AWS support.',
  OperationNotPermitted: 'AWS protects that instance: take its termination protection away.',
  'InvalidLaunchTemplateName.NotFoundException': 'Check ec2.template and ec2.region.',
  'InvalidLaunchTemplateId.NotFound': 'Check ec2.template and ec2.region.',
  'InvalidLaunchTemplateId.Malformed': 'Check ec2.template.',
  'InvalidLaunchTemplateId.VersionNotFound': 'The launch template has no default version.',
  'InvalidSubnetID.NotFound': 'Check ec2.subnets and ec2.region.',
  'InvalidSubnetID.Malformed': 'Check ec2.subnets.',
  InvalidInstanceType: 'Check ec2.types and ec2.region: each region has types of its own.',
  'InvalidAMIID.Malformed': 'The launch template names an image in no form that AWS knows.',
  'InvalidAMIID.NotFound': 'The launch template names an image that is not there.',
  'InvalidAMIID.Unavailable': 'The launch template names an image that cannot be used.',
  'InvalidGroup.NotFound': 'The launch template names a security group that is not there.',
  'InvalidSecurityGroupID.NotFound': 'The launch template names a security group that is not there.',
  'InvalidKeyPair.NotFound': 'The launch template names a key pair that is not there.',
  InvalidParameterValue: 'Check the launch template and ec2.types.',
  InvalidParameterCombination: 'Check the launch template.',
  MissingInput: 'Set ec2.subnets: the account has no default VPC.',
  VPCIdNotSpecified: 'Set ec2.subnets: the account has no default VPC.',
};

const WRONG_ARCHITECTURE =
  "Set fleet.architecture to that of the launch template's image, or name only such types in ec2.types.";

class Ec2Error extends MmeliotError {
  /** AWS's code, or the name of the network's. */
  readonly kind: string;

  constructor(code: ErrorCode, kind: string, message: string, cause: unknown) {
    super(code, message, { cause });
    this.name = 'Ec2Error';
    this.kind = kind;
  }
}

export function ec2Error(action: string, error: unknown): MmeliotError {
  if (error instanceof MmeliotError) return error;
  const { name = 'Error', message = String(error), code } = error as Error & { code?: string };
  const kind = code ?? name;
  const [said = ''] = message
    .replace(/ Encoded authorization failure message:.*/s, '')
    .trim()
    .split('\n');
  const sentence = said === '' || said === 'UnknownError' ? kind : said; // which is what the SDK says where AWS says nothing
  if (name === THROTTLED)
    return new Ec2Error(
      'PROVIDER_FAILED',
      kind,
      `AWS takes no more calls just now, and is asked again. (${action}: ${sentence})`,
      error,
    );
  if (NO_CAPACITY.includes(name) || QUOTA.test(name))
    return new Ec2Error('NO_CAPACITY', kind, `EC2 has no room for it. (${sentence})`, error);
  if (/Region is missing/i.test(message))
    return new Ec2Error('PROVIDER_REFUSED', kind, 'In which AWS region? Set ec2.region, or AWS_REGION.', error);
  // another type may well do: the mix asks elsewhere
  if (name === 'InvalidParameterValue' && /architecture .* does not match/i.test(message))
    return new Ec2Error('NO_CAPACITY', kind, `${WRONG_ARCHITECTURE} (${action}: ${sentence})`, error);
  const remedy = REMEDIES[name];
  if (remedy !== undefined) return new Ec2Error('PROVIDER_REFUSED', kind, `${remedy} (${action}: ${sentence})`, error);
  if (error instanceof NoAnswer)
    return new Ec2Error(
      'PROVIDER_FAILED',
      kind,
      `What came is no answer of EC2 (${action}: ${sentence}); check ec2.endpoint, and what stands before it.`,
      error,
    );
  if (NETWORK.test(kind))
    return new Ec2Error('PROVIDER_FAILED', kind, `EC2 can't be reached (${action}: ${sentence}).`, error);
  return new Ec2Error('PROVIDER_FAILED', kind, `EC2, ${action}: ${sentence}`, error);
}

const NETWORK = /^(ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|ETIMEDOUT|TimeoutError)/;

/** Refusals that may be of spot instances only: of the right to them, or of how the launch template goes with them. */
const MAY_BE_SPOT_ONLY = ['UnauthorizedOperation', SPOT_ROLE, 'InvalidParameter'] as const;

/** Who gives no spot instance may well give one on demand. A wrong or expired login says nothing of any pool. */
export const noSpot = (error: unknown): unknown =>
  isKind(error, ...MAY_BE_SPOT_ONLY) ? new MmeliotError('NO_CAPACITY', (error as Error).message) : error;

/** Neither refused nor put off: it may have been carried out. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Ec2Error && error.code === 'PROVIDER_FAILED' && error.kind !== THROTTLED;

export const isKind = (error: unknown, ...kinds: readonly string[]): boolean =>
  error instanceof Ec2Error && kinds.some((kind) => error.kind.startsWith(kind));
