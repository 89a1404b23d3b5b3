//! Sizes of a sweep of several statements.

use super::graph::Levels;
use crate::sweep::shape::{Facts, Several, Shape, element_of};
use stencil_model::sweep::of_rank;
use stencil_passes::framework::PassResult;

impl<'c: 'a, 'a> Shape<'c, 'a> {
    /// The shape of a sweep of several statements.
    pub fn of_stages(levels: &Levels<'c, 'a>) -> PassResult<Self> {
        let domain = levels.domain();
        let rank = domain.rank();
        let pipeline = &levels.pipeline;
        let domains = levels.levels.iter().map(|level| level.stage.domain());
        let common = domains.reduce(|one, two| one.intersection(&two));
        let several = Several {
            margins: of_rank(pipeline.margins(&levels.graph), rank),
            periodic: levels.periodic.clone(),
            oldest_boundary: levels.oldest_boundary(),
            common: common.expect("the verifier checked that it stores"),
        };
        let fields = levels.tiled_fields();
        Self::new(Facts {
            operation: levels.stages.operation(),
            domain,
            steps: levels.stages.steps(),
            element: element_of(fields[0]),
            reaches: of_rank(levels.reaches(), rank),
            levels: fields,
            fields: levels.stages.fields(),
            several: Some(several),
        })
    }
}
