//! What takes planes from one device to another, and how fast.
//!
//! A speed belongs to a chip and a network. Where nobody measured it and no data sheet has it, it
//! is unknown, and nothing takes its place.
//!
//! Sources, by the names used below:
//! - *Measured*: copies between two H200 of one host by the driver, 64 KiB to 256 MiB, driver
//!   580.159.04, 2026-11-22.
//! - *Sheet*: the data sheet of the product, "Interconnect", 2026-11-27.
//! - *ConnectX-7*: NVIDIA ConnectX-7 Adapter Cards User Manual, "Introduction", 2026-11-27.
//! - *ConnectX-6*: NVIDIA ConnectX-6 VPI Adapter Cards User Manual, "Introduction", 2026-11-27.

use super::Product;
use std::fmt;
use thiserror::Error;

/// A kind of connection between devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// NVLink between the devices of one host.
    NvLink,
    /// InfiniBand of 400 Gb/s, an adapter for each device, from host memory to host memory.
    Ib400,
}

/// One connection, in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// What it transfers in a second.
    pub bytes_per_s: u64,
    /// What a transfer takes beside its bytes.
    pub latency_ns: u64,
}

/// The connections that planes take from one device to another, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The network.
    pub network: Network,
    /// Its connections.
    pub links: &'static [Link],
    /// How much longer a transfer takes beside a kernel that uses memory.
    pub beside_ns: u64,
    /// By how much launches that wait for an exchange make a piece longer, beside their work.
    pub join_ns: u64,
    /// What an exchange that is waited for takes beside its transfers.
    pub wait_ns: u64,
    /// How much longer each transfer of such an exchange takes.
    pub waited_ns: u64,
    /// The source of the numbers, as texts say it.
    pub source: &'static str,
}

/// Why planes cannot be sent, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RouteError {
    /// Nobody measured it.
    #[error(
        "the speed of {} between {chip} is not known, only that between {known}; leave \
         out --network",
        network.described()
    )]
    Unknown {
        /// The network.
        network: Network,
        /// The chip.
        chip: String,
        /// Chips of which it is known.
        known: String,
    },
    /// More devices than it connects.
    #[error(
        "{} connects {most} {chip} of one host, not {devices}; give --network=ib400",
        network.described()
    )]
    Reach {
        /// The network.
        network: Network,
        /// The chip.
        chip: String,
        /// How many it connects.
        most: u32,
        /// How many there are to be.
        devices: u32,
    },
}

impl Network {
    /// All of them, the fastest first.
    pub const ALL: [Self; 2] = [Self::NvLink, Self::Ib400];

    /// As options name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::NvLink => "nvlink",
            Self::Ib400 => "ib400",
        }
    }

    /// As texts name it.
    pub fn described(self) -> &'static str {
        match self {
            Self::NvLink => "NVLink",
            Self::Ib400 => "InfiniBand of 400 Gb/s",
        }
    }

    /// Devices that it connects at most; none if there is no limit.
    fn devices_most(self) -> Option<u32> {
        match self {
            // Sheet: the HGX board of eight.
            Self::NvLink => Some(8),
            Self::Ib400 => None,
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

const GB: u64 = 1_000_000_000;

/// A small copy by the driver. Measured: 2.3 us for 64 KiB.
const COPY_LATENCY_NS: u64 = 2_300;

/// Measured: 386 GB/s for 256 MiB, 368 for 16 MiB, which with the latency is the same. Sheet: 450.
const NVLINK_4: &[Link] = &[Link { bytes_per_s: 386 * GB, latency_ns: COPY_LATENCY_NS }];

/// From a device to its host by PCIe of generation 5, from host to host, and to the other device.
/// Sheet: 64 GB/s each way; ConnectX-7: 400 Gb/s. Latency of the adapters is that of ConnectX-6,
/// "sub-600ns", since ConnectX-7 names none; that of copies to and from hosts was not measured, and
/// is that between devices.
const IB_BY_PCIE_5: &[Link] = &ib_by_pcie(64);
/// The same by PCIe of generation 4. Sheet: 32 GB/s each way.
const IB_BY_PCIE_4: &[Link] = &ib_by_pcie(32);

const fn ib_by_pcie(gb_per_s: u64) -> [Link; 3] {
    let host = Link { bytes_per_s: gb_per_s * GB, latency_ns: COPY_LATENCY_NS };
    [host, Link { bytes_per_s: 50 * GB, latency_ns: 600 }, host]
}

/// Measured: a copy of some megabytes beside a kernel that uses memory.
const BESIDE_NS: u64 = 7_000;
/// By how much the launches that wait for an exchange, in a stream of their own, make a piece
/// longer beside their work: sweeps of j3d7pt in windows of 128 planes of 256^2 cells, with 5 and
/// with 11 exchanges (two H200, 2026-11-28: 3 us in f64, 21 us in f32). Their blocks begin where
/// others leave room.
const JOIN_NS: u64 = 10_000;

/// Measured 2026-11-27: exchanges of five and of nineteen fields between kernels, in two streams,
/// take 17 us and 7.4 us for each copy beside its bytes.
const WAIT_NS: u64 = 17_000;
const WAITED_NS: u64 = 7_400 - COPY_LATENCY_NS;

const MEASURED: &str = "measured 2026-11-22";
const BY_SHEETS: &str = "data sheets, 2026-11-27, not measured";

const fn nvlink(links: &'static [Link]) -> Route {
    route(Network::NvLink, links, MEASURED)
}

const fn ib400(links: &'static [Link]) -> Route {
    route(Network::Ib400, links, BY_SHEETS)
}

const fn route(network: Network, links: &'static [Link], source: &'static str) -> Route {
    let (beside_ns, join_ns) = (BESIDE_NS, JOIN_NS);
    let (wait_ns, waited_ns) = (WAIT_NS, WAITED_NS);
    Route { network, links, beside_ns, join_ns, wait_ns, waited_ns, source }
}

/// What is known, by the name of the chip.
const ROUTES: &[(&str, Route)] = &[
    ("NVIDIA H200", nvlink(NVLINK_4)),
    ("NVIDIA H200", ib400(IB_BY_PCIE_5)),
    ("NVIDIA H100 80GB HBM3", ib400(IB_BY_PCIE_5)),
    ("NVIDIA A100-SXM4-80GB", ib400(IB_BY_PCIE_4)),
    ("NVIDIA A100-SXM4-40GB", ib400(IB_BY_PCIE_4)),
    ("NVIDIA L40S", ib400(IB_BY_PCIE_4)),
];

impl Product {
    /// How planes get from one device of this kind to another, of so many.
    ///
    /// # Errors
    /// If that is not known, or the network does not connect as many.
    pub fn route(&self, network: Network, devices: u32) -> Result<Route, RouteError> {
        let of_network = ROUTES.iter().filter(|(_, route)| route.network == network);
        let own = of_network.clone().find(|(chip, _)| *chip == self.sheet.name);
        let Some((_, route)) = own else {
            let known = of_network.map(|(chip, _)| *chip).collect::<Vec<_>>().join(", ");
            return Err(RouteError::Unknown { network, chip: self.name().to_owned(), known });
        };
        match network.devices_most() {
            Some(most) if devices > most => {
                Err(RouteError::Reach { network, chip: self.name().to_owned(), most, devices })
            }
            _ => Ok(*route),
        }
    }

    /// The same by the fastest network that is known to connect them.
    pub fn fastest_route(&self, devices: u32) -> Option<Route> {
        Network::ALL.into_iter().find_map(|network| self.route(network, devices).ok())
    }
}

impl Route {
    /// Nanoseconds of so many transfers with so many bytes together.
    pub fn ns(&self, transfers: f64, bytes: f64) -> f64 {
        let of_link = |link: &Link| {
            transfers * link.latency_ns as f64 + bytes * 1e9 / link.bytes_per_s as f64
        };
        self.links.iter().map(of_link).sum()
    }

    /// Nanoseconds that an exchange of so many transfers takes longer where devices wait for it.
    pub fn waited_ns(&self, transfers: i64) -> f64 {
        match transfers {
            0 => 0.0,
            _ => self.wait_ns as f64 + transfers as f64 * self.waited_ns as f64,
        }
    }

    /// Bytes in a second of a long transfer.
    pub fn bytes_per_s(&self) -> f64 {
        1e9 / (self.ns(0.0, 1.0))
    }

    /// Nanoseconds of a transfer of nothing.
    pub fn latency_ns(&self) -> f64 {
        self.ns(1.0, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_take_what_was_measured() {
        let route = Product::named("NVIDIA H200").unwrap().route(Network::NvLink, 2).unwrap();
        for (kib, us) in [(64, 2.3), (1024, 5.3), (4096, 13.0), (16384, 46.0)] {
            let predicted = route.ns(1.0, f64::from(kib) * 1024.0) / 1e3;
            assert!((predicted / us - 1.0).abs() < 0.08, "{kib} KiB: {predicted} us, {us}");
        }
    }

    #[test]
    fn every_route_is_of_a_known_chip() {
        for (chip, _) in ROUTES {
            assert!(Product::named(chip).is_some(), "{chip}");
        }
    }

    #[test]
    fn what_is_not_known_is_said() {
        let of = |chip: &str, network, devices| {
            let product = Product::told(chip).unwrap();
            product.route(network, devices).unwrap_err().to_string()
        };
        assert_eq!(
            of("h100", Network::NvLink, 2),
            "the speed of NVLink between NVIDIA H100 80GB HBM3 is not known, only that between \
             NVIDIA H200; leave out --network"
        );
        assert_eq!(
            of("h200", Network::NvLink, 9),
            "NVLink connects 8 NVIDIA H200 of one host, not 9; give --network=ib400"
        );
        assert!(Product::told("h200").unwrap().route(Network::NvLink, 8).is_ok());
        let b200 = Product::told("b200").unwrap();
        assert_eq!(b200.fastest_route(2), None);
        assert!(of("b200", Network::Ib400, 2).starts_with("the speed of InfiniBand of 400 Gb/s"));
    }

    #[test]
    fn hosts_are_beyond_nvlink() {
        let h200 = Product::named("NVIDIA H200").unwrap();
        let network = |devices| h200.fastest_route(devices).unwrap().network;
        assert_eq!([network(8), network(9)], [Network::NvLink, Network::Ib400]);
    }

    #[test]
    fn connections_in_a_row_are_slower_than_each() {
        let route = Product::named("NVIDIA H200").unwrap().route(Network::Ib400, 64).unwrap();
        assert!(route.links.iter().all(|link| route.bytes_per_s() < link.bytes_per_s as f64));
        assert!((route.latency_ns() - 5_200.0).abs() < 1e-9);
    }
}
