//! Programs that advance fields, written twice: as applies step by step, and as one sweep.

use std::fmt::Write;

/// What both programs compute.
#[derive(Clone, Debug)]
pub struct Case {
    /// First points of the domain, and those after the last.
    pub lower: Vec<i64>,
    pub upper: Vec<i64>,
    /// Offsets of the accesses, by age of the level that is read.
    pub accesses: Vec<Vec<Vec<i64>>>,
    pub steps: usize,
    /// Fields in the rotation.
    pub rotation: usize,
    /// The dimension that a field of coefficients has, if there is one.
    pub coefficients_along: Option<usize>,
    /// Whether each level has numbers of its own.
    pub level_scalars: bool,
    /// Whether the region branches.
    pub branch: bool,
    /// The text between domain and operands of the sweep.
    pub form: String,
    /// Keys of its plan.
    pub plan: String,
}

/// Bounds of a field.
pub type FieldBounds = (Vec<i64>, Vec<i64>);

impl Case {
    pub fn rank(&self) -> usize {
        self.lower.len()
    }

    /// Fields that the sweep writes: one per level, at most one per field of the rotation.
    pub fn outs(&self) -> usize {
        self.rotation.min(self.steps)
    }

    /// Radius below and above along the streaming axis, on the newest level.
    pub fn planes(&self) -> (i64, i64) {
        let along = || self.accesses[0].iter().map(|offset| offset[0]);
        match self.rank() {
            1 => (0, 0),
            _ => (-along().min().unwrap().min(0), along().max().unwrap().max(0)),
        }
    }

    /// This many slots, alternating between registers and shared memory.
    pub fn slots(count: i64) -> String {
        let places =
            (0..count).map(|slot| if slot % 3 == 0 { "\"shared\"" } else { "\"register\"" });
        format!("form \"gather\" slots [{}]", places.collect::<Vec<_>>().join(", "))
    }

    /// Bounds of a field of levels: what is read, and more by an amount that differs.
    pub fn field(&self, number: usize) -> FieldBounds {
        let offsets = || self.accesses.iter().flatten();
        let along = |d: usize| {
            let least = offsets().map(|offset| offset[d]).min().unwrap().min(0);
            let most = offsets().map(|offset| offset[d]).max().unwrap().max(0);
            let more = (number + d) as i64;
            (self.lower[d] + least - more % 3, self.upper[d] + most + more % 2)
        };
        (0..self.rank()).map(along).unzip()
    }

    /// Bounds of the coefficients, which are read one cell ahead.
    pub fn coefficients(&self) -> Option<FieldBounds> {
        let d = self.coefficients_along?;
        Some((vec![self.lower[d]], vec![self.upper[d] + 1]))
    }

    fn field_type(bounds: &FieldBounds) -> String {
        let along =
            bounds.0.iter().zip(&bounds.1).map(|(lower, upper)| format!("[{lower},{upper}]"));
        format!("!stencil.field<{}xf64>", along.collect::<Vec<_>>().join("x"))
    }

    fn temp_type(rank: usize) -> String {
        format!("!stencil.temp<{}f64>", "?x".repeat(rank))
    }

    /// The arguments of the function: fields that take turns, fields that the sweep writes,
    /// coefficients, a number, and the numbers of each level.
    fn signature(&self) -> String {
        let mut arguments: Vec<String> = (0..self.rotation)
            .map(|number| format!("%u{number}: {}", Self::field_type(&self.field(number))))
            .collect();
        arguments.extend(
            (0..self.outs()).map(|number| {
                format!("%out{number}: {}", Self::field_type(&self.field(number + 1)))
            }),
        );
        arguments.extend(self.coefficients().map(|c| format!("%coef: {}", Self::field_type(&c))));
        arguments.push("%number: f64".to_owned());
        if self.level_scalars {
            for level in 1..=self.steps {
                arguments.push(format!("%count{level}: index, %weight{level}: f64"));
            }
        }
        format!("func.func @f({})", arguments.join(", "))
    }

    fn domain(&self) -> String {
        format!("<{:?}, {:?}>", self.lower, self.upper)
    }

    /// What a point computes; `types` are those of the levels by age, then that of the
    /// coefficients. The newest level's planes are added in the order in which they arrive.
    fn region(&self, types: &[String]) -> String {
        let mut text = String::new();
        let mut sum = "%start".to_owned();
        writeln!(text, "%start = arith.constant 0.125 : f64").unwrap();
        let mut reads = 0;
        for (age, offsets) in self.accesses.iter().enumerate() {
            let mut offsets = offsets.clone();
            offsets.sort();
            for offset in offsets {
                let weight = 1.0 / (3 + reads) as f64;
                let r#type = &types[age];
                writeln!(
                    text,
                    "%a{reads} = stencil.access %x{age}{offset:?} : {type}
                     %w{reads} = arith.constant {weight:?} : f64
                     %p{reads} = arith.mulf %a{reads}, %w{reads} : f64
                     %s{reads} = arith.addf {sum}, %p{reads} : f64"
                )
                .unwrap();
                sum = format!("%s{reads}");
                reads += 1;
            }
        }
        if let Some(d) = self.coefficients_along {
            let along: Vec<_> = (0..self.rank()).map(|e| if e == d { "1" } else { "_" }).collect();
            let (along, r#type) = (along.join(", "), types.last().unwrap());
            writeln!(
                text,
                "%c0 = stencil.access %c[{along}] : {type}
                 %c1 = arith.mulf {sum}, %c0 : f64"
            )
            .unwrap();
            sum = "%c1".to_owned();
        }
        if self.level_scalars {
            writeln!(
                text,
                "%l0 = arith.index_cast %i : index to i64
                 %l1 = arith.sitofp %l0 : i64 to f64
                 %l2 = arith.mulf %l1, %v : f64
                 %l3 = arith.addf {sum}, %l2 : f64"
            )
            .unwrap();
            sum = "%l3".to_owned();
        }
        if self.branch {
            let last = format!("{:?}", self.accesses[0].iter().max().unwrap());
            writeln!(
                text,
                "%b0 = arith.cmpf ogt, {sum}, %k : f64
                 %b1 = scf.if %b0 -> (f64) {{
                   %b2 = stencil.access %x0{last} : {}
                   %b3 = arith.subf {sum}, %b2 : f64
                   scf.yield %b3 : f64
                 }} else {{
                   scf.yield {sum} : f64
                 }}",
                types[0]
            )
            .unwrap();
            sum = "%b1".to_owned();
        }
        writeln!(text, "%r = arith.addf {sum}, %k : f64").unwrap();
        text
    }

    /// Step by step: level `s` is stored to field `s mod R`.
    pub fn applies(&self) -> String {
        let field = |level: i64| level.rem_euclid(self.rotation as i64) as usize;
        let temp = Self::temp_type(self.rank());
        let mut types = vec![temp.clone(); self.accesses.len()];
        let mut text = format!("{} {{\n", self.signature());
        if let Some(bounds) = self.coefficients() {
            let (from, to) = (Self::field_type(&bounds), Self::temp_type(1));
            writeln!(text, "%ct = stencil.load %coef : {from} -> {to}").unwrap();
            types.push(to);
        }
        for level in 1..=self.steps {
            let mut arguments = Vec::new();
            for age in 0..self.accesses.len() {
                let number = field(level as i64 - 1 - age as i64);
                let from = Self::field_type(&self.field(number));
                writeln!(text, "%t{level}_{age} = stencil.load %u{number} : {from} -> {temp}")
                    .unwrap();
                arguments.push(format!("%x{age} = %t{level}_{age} : {temp}"));
            }
            if self.coefficients_along.is_some() {
                arguments.push(format!("%c = %ct : {}", Self::temp_type(1)));
            }
            arguments.push("%k = %number : f64".to_owned());
            if self.level_scalars {
                arguments.push(format!("%i = %count{level} : index, %v = %weight{level} : f64"));
            }
            let (target, domain) = (field(level as i64), self.domain());
            writeln!(
                text,
                "%new{level} = stencil.apply({}) -> ({temp}) {{
                   {}
                   stencil.return %r : f64
                 }}
                 stencil.store %new{level} to %u{target}({domain}) : {temp} to {}",
                arguments.join(", "),
                self.region(&types),
                Self::field_type(&self.field(target))
            )
            .unwrap();
        }
        text + "return\n}\n"
    }

    /// One sweep: the outs receive the last levels.
    pub fn sweep(&self) -> String {
        let newest = |age: usize| (-(age as i64)).rem_euclid(self.rotation as i64) as usize;
        let ages = 0..self.accesses.len();
        let carried: Vec<_> = ages.map(|age| (format!("%u{}", newest(age)), newest(age))).collect();
        let sources: Vec<_> = (0..self.rotation).collect();
        let outs: Vec<_> = (0..self.outs()).map(|out| (format!("%out{out}"), out + 1)).collect();
        format!("{} {{\n{}return\n}}\n", self.signature(), self.kernel(&carried, &sources, &outs))
    }

    /// Twice as many levels, by two ping-pong sweeps: to shadow buffers, and from there back.
    pub fn ping_pong(&self) -> String {
        let (steps, count) = (self.steps, self.rotation);
        let shadow: Vec<_> =
            (0..self.accesses.len()).map(|age| (format!("%out{age}"), age + 1)).collect();
        let newest = |age: usize| (-(age as i64)).rem_euclid(count as i64) as usize;
        let ages = 0..self.accesses.len();
        let carried: Vec<_> = ages.map(|age| (format!("%u{}", newest(age)), newest(age))).collect();
        let first = self.kernel(&carried, &(0..count).collect::<Vec<_>>(), &shadow);
        let sources: Vec<_> = (0..count).map(|level| (level + steps) % count).collect();
        let last = |age: usize| (2 * steps + count - age) % count;
        let outs: Vec<_> =
            (0..self.accesses.len()).map(|age| (format!("%u{}", last(age)), last(age))).collect();
        let second = self.kernel(&shadow, &sources, &outs);
        format!("{} {{\n{first}{second}return\n}}\n", self.signature())
    }

    /// A kernel; fields have a name and the number that gives their bounds.
    fn kernel(
        &self,
        carried: &[(String, usize)],
        sources: &[usize],
        outs: &[(String, usize)],
    ) -> String {
        let type_of = |number: &usize| Self::field_type(&self.field(*number));
        let typed = |(name, number): &(String, usize)| format!("{name} : {}", type_of(number));
        let arguments: Vec<_> =
            (0..).zip(carried).map(|(age, field)| format!("%x{age} = {}", typed(field))).collect();
        let sources: Vec<_> =
            sources.iter().map(|number| format!("%u{number} : {}", type_of(number))).collect();
        let outs: Vec<_> = outs.iter().map(typed).collect();
        let mut types: Vec<_> = carried.iter().map(|(_, number)| type_of(number)).collect();
        let mut operands =
            format!("carried({})\nboundaries({})\n", arguments.join(", "), sources.join(", "));
        if let Some(bounds) = self.coefficients() {
            types.push(Self::field_type(&bounds));
            writeln!(operands, "reads(%c = %coef : {})", types.last().unwrap()).unwrap();
        }
        operands += "scalars(%k = %number : f64)\n";
        if self.level_scalars {
            let all = |name: &str| {
                let levels = (1..=self.steps).map(|level| format!("%{name}{level}"));
                levels.collect::<Vec<_>>().join(", ")
            };
            let (counts, weights) = (all("count"), all("weight"));
            writeln!(operands, "level_scalars(%i = [{counts}] : index, %v = [{weights}] : f64)")
                .unwrap();
        }
        let (steps, domain, form, plan) = (self.steps, self.domain(), &self.form, &self.plan);
        format!(
            "sweep.kernel \"s\" steps {steps} over {domain} {form}
             {operands} outs({}) plan <{{{plan}}}> {{
               {}
               sweep.yield %r : f64
             }}\n",
            outs.join(", "),
            self.region(&types)
        )
    }
}
