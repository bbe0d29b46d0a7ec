// The words of the core business vocabulary 2.0, by vocabulary.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const BIZ_STEPS = words(`
  accepting arriving assembling collecting commissioning consigning creating_class_instance cycle_counting
  decommissioning departing destroying disassembling dispensing encoding entering_exiting holding inspecting
  installing killing loading other packing picking receiving removing repackaging repairing replacing reserving
  retail_selling sampling sensor_reporting shipping staging_outbound stock_taking stocking storing transporting
  unloading unpacking void_shipping
`);

export const DISPOSITIONS = words(`
  active available completeness_inferred completeness_verified conformant container_closed container_open damaged
  destroyed dispensed disposed encoded expired in_progress in_transit inactive mismatch_class mismatch_instance
  mismatch_quantity needs_replacement no_pedigree_match non_conformant non_sellable_other partially_dispensed
  recalled reserved retail_sold returned sellable_accessible sellable_not_accessible stolen unavailable unknown
`);

export const ERROR_REASONS = words(`
  did_not_occur incorrect_data
`);

export const BIZ_TRANSACTIONS = words(`
  bol cert desadv inv pedigree po poc prodorder recadv rma testprd testres upevt
`);

export const SOURCES = words(`
  location owning_party possessing_party
`);

export const MEASUREMENTS = words(`
  AbsoluteHumidity AbsorbedDose AbsorbedDoseRate Acceleration Altitude AmountOfSubstance
  AmountOfSubstancePerUnitVolume Angle AngularAcceleration AngularMomentum AngularVelocity Area Capacitance
  Conductance Conductivity Count Density Dimensionless DoseEquivalent DoseEquivalentRate DynamicViscosity
  ElectricCharge ElectricCurrent ElectricCurrentDensity ElectricFieldStrength Energy Exposure Force Frequency
  Illuminance Inductance Irradiance KinematicViscosity Length LinearMomentum Luminance LuminousFlux
  LuminousIntensity MagneticFlux MagneticFluxDensity MagneticVectorPotential Mass MassConcentration MassFlowRate
  MassPerAreaTime MemoryCapacity MolalityOfSolute MolarEnergy MolarMass MolarVolume Power Pressure RadiantFlux
  RadiantIntensity Radioactivity RelativeHumidity Resistance Resistivity SolidAngle SpecificVolume Speed
  SurfaceDensity SurfaceTension Temperature Time Torque Voltage Volume VolumeFlowRate VolumeFraction VolumetricFlux
  Wavenumber
`);

export const ALERTS = words(`
  ALARM_CONDITION ERROR_CONDITION
`);

export const COMPONENTS = words(`
  altitude axial_distance azimuth easting elevation_angle height latitude longitude northing polar_angle
  spherical_radius x y z
`);
